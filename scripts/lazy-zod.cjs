// Stands in for zod in the command line: a schema is written down when its file is loaded, and made when it is first used.
// A command checks with two or three schemas; making all four hundred takes longer than Node's own start, and zod itself
// half as long. What is plainly right is accepted without either (plain-zod.cjs).
const { plainParse, UNSURE } = require('./plain-zod.cjs');

const noted = new WeakMap();

/** Calls whose result is a schema again. Whatever else is asked of a schema needs the real one. */
const MAKERS =
  'string enum literal array boolean unknown record number object uuid int discriminatedUnion union strictObject looseObject json guid custom registry';
const CHANGERS =
  'optional nullable nullish default safeExtend refine superRefine describe meta min max length trim regex startsWith endsWith int positive nonnegative nonempty gt gte lt lte extend omit pick partial required strict loose passthrough transform pipe or and array brand catch readonly register';
const makers = new Set(MAKERS.split(' '));
const changers = new Set(CHANGERS.split(' '));
const noteOf = (schema) => noted.get(schema)?.note;

/** `of`: the schema it is called on; without one it is a call of zod. */
function schema(name, args, of) {
  let made;
  const real = () => (made ??= (of ? noted.get(of).real() : zod())[name](...args.map(use)));
  const note = { name, args, of: of && noteOf(of) };
  const plain = (value, params) => (params === undefined ? plainParse(note, value, noteOf) : UNSURE);
  const known = {
    parse(value, params) {
      const found = plain(value, params);
      return found === UNSURE ? real().parse(value, params) : found;
    },
    safeParse(value, params) {
      const data = plain(value, params);
      return data === UNSURE ? real().safeParse(value, params) : { success: true, data };
    },
  };
  const stand = new Proxy(
    {},
    {
      get: (_, asked) => {
        if (changers.has(asked)) return (...given) => schema(asked, given, stand);
        return Object.hasOwn(known, asked) ? known[asked] : real()[asked];
      },
      has: (_, asked) => asked in real(),
      getPrototypeOf: () => Object.getPrototypeOf(real()),
    },
  );
  noted.set(stand, { real, note });
  return stand;
}

/** With every note in it, however deep, replaced by the schema it stands for. */
function use(value) {
  if (typeof value !== 'object' || value === null) return value;
  const known = noted.get(value);
  if (known) return known.real();
  if (Array.isArray(value)) return value.map(use);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, use(each)]));
}

const zod = () => require('zod');

const z = new Proxy(
  {},
  {
    get: (_, name) => {
      if (name === 'z' || name === 'default') return z;
      if (makers.has(name)) return (...args) => schema(name, args);
      const found = zod()[name];
      return typeof found === 'function' && !/^[A-Z]/.test(name)
        ? (...args) => found(...args.map(use))
        : found;
    },
    // What esbuild makes of `import * as z` inherits from this.
    getPrototypeOf: () => z,
  },
);

module.exports = z;
