// Accepts what is plainly right by a schema that was only written down (lazy-zod.cjs), so that zod need not be loaded to say
// yes. Whatever it does not know for sure, and all that is wrong, is left to zod: `UNSURE`.
// A schema is { name, args, of }: a call of zod (no `of`), or a call on another schema.
const UNSURE = Symbol('unsure');

/** Words about a schema, which change nothing. */
const SAID = new Set(['describe', 'meta', 'register']);

/** What zod would make of the value, or UNSURE. `noteOf` answers what was written down of a schema. */
function plainParse(note, value, noteOf) {
  const unsure = () => {
    throw UNSURE;
  };
  const sure = (condition, value) => (condition ? value : unsure());
  const inner = (schema) => noteOf(schema) ?? unsure();
  /** What zod hands to transform and superRefine: whoever complains is heard by zod itself. */
  const context = new Proxy({}, { get: unsure });

  const MADE = {
    string: (_, value) => sure(typeof value === 'string', value),
    number: (_, value) => sure(Number.isFinite(value), value),
    int: (_, value) => sure(Number.isSafeInteger(value), value),
    boolean: (_, value) => sure(typeof value === 'boolean', value),
    unknown: (_, value) => value,
    json: (_, value) => json(value),
    literal: ({ args: [only] }, value) => sure(typeof only !== 'object' && only === value, value),
    enum: ({ args: [each] }, value) => sure(Array.isArray(each) && each.includes(value), value),
    array: ({ args: [each] }, value) => {
      sure(Array.isArray(value));
      return Array.from(value, (item) => parse(inner(each), item));
    },
    record: ({ args: [key, each] }, value) => {
      // Its keys would have to be there, where they are an enum.
      sure(isPlain(value) && inner(key).name !== 'enum' && inner(key).name !== 'literal');
      return Object.fromEntries(
        Object.keys(value).map((name) => [parse(inner(key), name), parse(inner(each), value[name])]),
      );
    },
    object: fields,
    strictObject: fields,
    looseObject: fields,
  };

  function json(value) {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (Array.isArray(value)) return Array.from(value, json);
    if (isPlain(value))
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, json(each)]));
    sure(Number.isFinite(value));
    return value;
  }

  function fields({ name, args: [shape] }, value) {
    sure(isPlain(value));
    const known = {};
    for (const [key, schema] of Object.entries(shape)) {
      const field = inner(schema);
      sure(key in value || mayBeAbsent(field));
      const found = parse(field, value[key]);
      if (found !== undefined || key in value) known[key] = found;
    }
    const others = Object.keys(value).filter((key) => !Object.hasOwn(shape, key));
    sure(name !== 'strictObject' || others.length === 0);
    if (name === 'looseObject') for (const key of others) known[key] = value[key];
    return known;
  }

  function mayBeAbsent({ name, of }) {
    if (SAID.has(name)) return mayBeAbsent(of);
    return name === 'optional' || name === 'nullish' || name === 'default';
  }

  const LENGTHS = {
    min: (length, bound) => length >= bound,
    max: (length, bound) => length <= bound,
    length: (length, bound) => length === bound,
    nonempty: (length) => length > 0,
  };
  const SIZES = {
    min: (value, bound) => value >= bound,
    gte: (value, bound) => value >= bound,
    max: (value, bound) => value <= bound,
    lte: (value, bound) => value <= bound,
    gt: (value, bound) => value > bound,
    lt: (value, bound) => value < bound,
    positive: (value) => value > 0,
    nonnegative: (value) => value >= 0,
    int: (value) => Number.isSafeInteger(value),
  };
  const TEXTS = {
    regex: (text, pattern) => {
      pattern.lastIndex = 0;
      return pattern.test(text);
    },
    startsWith: (text, start) => text.startsWith(start),
    endsWith: (text, end) => text.endsWith(end),
  };

  const CHANGED = {
    optional: ({ of }, value) => (value === undefined ? sure(isBare(of), value) : parse(of, value)),
    nullable: ({ of }, value) => (value === null ? value : parse(of, value)),
    nullish: ({ of }, value) => (value == null ? sure(isBare(of), value) : parse(of, value)),
    default: ({ of, args: [usual] }, value) => {
      if (value !== undefined) return parse(of, value) ?? unsure();
      sure(Array.isArray(usual) || (typeof usual !== 'object' && typeof usual !== 'function'));
      return Array.isArray(usual) ? [...usual] : usual;
    },
    trim: ({ of }, value) => {
      const text = parse(of, value);
      sure(typeof text === 'string');
      return text.trim();
    },
    refine: (note, value) => looked(note, parse(note.of, value)),
    superRefine: (note, value) => looked(note, parse(note.of, value)),
    transform: ({ of, args: [change] }, value) => {
      const changed = change(parse(of, value), context);
      sure(typeof changed?.then !== 'function');
      return changed;
    },
    pipe: ({ of, args: [next] }, value) => parse(inner(next), parse(of, value)),
    array: ({ of }, value) => {
      sure(Array.isArray(value));
      return Array.from(value, (item) => parse(of, item));
    },
    extend,
    safeExtend: extend,
  };

  function looked({ name, args: [look] }, found) {
    sure(name === 'refine' ? look(found) === true : look(found, context) === undefined);
    return found;
  }

  /** An object with more fields; whatever else it was asked to hold to, it still is. */
  function extend({ of, args: [more] }, value) {
    let shape = more;
    let base = of;
    const looks = [];
    for (; base.of !== undefined; base = base.of) {
      if (base.name === 'refine' || base.name === 'superRefine') looks.unshift(base);
      else if (CHANGED[base.name] === extend) shape = { ...base.args[0], ...shape };
      else sure(SAID.has(base.name));
    }
    sure(MADE[base.name] === fields);
    const found = fields({ name: base.name, args: [{ ...base.args[0], ...shape }] }, value);
    return looks.reduce((kept, note) => looked(note, kept), found);
  }

  function check({ name, args: [bound], of }, value) {
    const found = parse(of, value);
    const holds = Array.isArray(found)
      ? LENGTHS[name]?.(found.length, bound)
      : typeof found === 'string'
        ? // Zod counts a pair of surrogates as one.
          (LENGTHS[name]?.(/[\ud800-\udfff]/.test(found) ? Number.NaN : found.length, bound) ??
          TEXTS[name]?.(found, bound))
        : typeof found === 'number'
          ? SIZES[name]?.(found, bound)
          : false;
    sure(holds === true);
    return found;
  }

  /** Nothing in it makes something of nothing. */
  function isBare({ name, of }) {
    return of === undefined
      ? Object.hasOwn(MADE, name)
      : name !== 'default' && name !== 'catch' && isBare(of);
  }

  function parse(note, value) {
    if (SAID.has(note.name)) return parse(note.of, value);
    if (note.of === undefined)
      return (Object.hasOwn(MADE, note.name) ? MADE[note.name] : unsure)(note, value);
    return (Object.hasOwn(CHANGED, note.name) ? CHANGED[note.name] : check)(note, value);
  }

  try {
    return parse(note, value);
  } catch {
    // What a function of ours throws, it throws again for zod.
    return UNSURE;
  }
}

function isPlain(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    !Object.hasOwn(value, '__proto__') &&
    Object.getOwnPropertySymbols(value).length === 0
  );
}

module.exports = { plainParse, UNSURE };
