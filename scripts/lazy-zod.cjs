// Stands in for zod in the command line: a schema is written down when its file is loaded, and made when it is first used.
// A command checks with two or three schemas; making all four hundred takes longer than Node's own start.
const noted = new WeakMap();

/** Calls whose result is a schema again. Whatever else is asked of a schema needs the real one. */
const MAKERS =
  'string enum literal array boolean unknown record number object uuid int discriminatedUnion union strictObject looseObject json guid custom registry';
const CHANGERS =
  'optional nullable nullish default safeExtend refine superRefine describe meta min max length trim regex startsWith endsWith int positive nonnegative nonempty gt gte lt lte extend omit pick partial required strict loose passthrough transform pipe or and array brand catch readonly register';
const makers = new Set(MAKERS.split(' '));
const changers = new Set(CHANGERS.split(' '));

function schema(make) {
  let made;
  const real = () => (made ??= make());
  const note = new Proxy(
    {},
    {
      get: (_, name) =>
        changers.has(name) ? (...args) => schema(() => real()[name](...args.map(use))) : real()[name],
      has: (_, name) => name in real(),
      getPrototypeOf: () => Object.getPrototypeOf(real()),
    },
  );
  noted.set(note, real);
  return note;
}

/** With every note in it, however deep, replaced by the schema it stands for. */
function use(value) {
  if (typeof value !== 'object' || value === null) return value;
  const real = noted.get(value);
  if (real) return real();
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
      if (makers.has(name)) return (...args) => schema(() => zod()[name](...args.map(use)));
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
