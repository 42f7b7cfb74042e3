import type * as z from 'zod';

/** One thing wrong with a value, in the shape validation errors have on the wire. */
export interface BodyIssue {
  type: string;
  /** Where it is: `body`, then names and indices. */
  loc: (string | number)[];
  msg: string;
  /** The value, shortened; null when there was none. */
  input: unknown;
}

type Issue = z.core.$ZodIssue;
type Described = Pick<BodyIssue, 'type' | 'msg'>;

const MAX_SHOWN_LENGTH = 120;

export function describeIssues(issues: readonly Issue[], value: unknown, where: string): BodyIssue[] {
  return issues.flatMap((issue) => describe(issue, value, where));
}

function describe(issue: Issue, value: unknown, where: string): BodyIssue[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : cut(String(part))));
  if (issue.code === 'unrecognized_keys') {
    const holder = valueAt(value, issue.path);
    return issue.keys.map((key) => ({
      type: 'extra_forbidden',
      loc: [where, ...path, cut(key)],
      msg: `is not a known field; ${issue.message}`,
      input: shown(valueAt(holder, [key])),
    }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    // The branch with the fewest issues is the one that was meant.
    const closest = [...issue.errors].sort((a, b) => a.length - b.length)[0]!;
    return closest.flatMap((inner) =>
      describe({ ...inner, path: [...issue.path, ...inner.path] }, value, where),
    );
  }
  const input = valueAt(value, issue.path);
  return [{ ...wordsFor(issue, input), loc: [where, ...path], input: shown(input) }];
}

function wordsFor(issue: Issue, input: unknown): Described {
  switch (issue.code) {
    case 'invalid_type':
      if (input === undefined) return { type: 'missing', msg: 'is required' };
      return typeWords(issue.message === 'must be an integer' ? 'int' : issue.expected, input);
    case 'invalid_value':
      return choice(issue.values, input);
    case 'invalid_union':
      return choice((issue as { options?: unknown[] }).options ?? [], input);
    case 'too_small':
      return sizeWords(issue.origin, issue.inclusive ? '>=' : '>', issue.minimum);
    case 'too_big':
      return sizeWords(issue.origin, issue.inclusive ? '<=' : '<', issue.maximum);
    default: {
      const type: unknown = issue.code === 'custom' ? issue.params?.['type'] : undefined;
      return { type: typeof type === 'string' ? type : 'value_error', msg: issue.message };
    }
  }
}

const TYPE_WORDS: Record<string, [type: string, msg: string]> = {
  string: ['string_type', 'must be a string'],
  number: ['float_type', 'must be a number'],
  int: ['int_type', 'must be an integer'],
  boolean: ['bool_type', 'must be true or false'],
  array: ['list_type', 'must be a list'],
  object: ['model_type', 'must be an object'],
  record: ['dict_type', 'must be an object'],
};

function typeWords(expected: string, input: unknown): Described {
  if (typeof input === 'number' && !Number.isFinite(input))
    return { type: 'finite_number', msg: 'must be finite' };
  const [type, msg] = TYPE_WORDS[expected] ?? ['value_error', `must be ${expected}`];
  return { type, msg };
}

function choice(values: readonly unknown[], input: unknown): Described {
  const allowed = values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value)));
  const list = allowed.length > 1 ? `one of ${allowed.join(', ')}` : (allowed[0] ?? 'something else');
  return input === undefined
    ? { type: 'missing', msg: `is required and must be ${list}` }
    : { type: 'literal_error', msg: `must be ${list}` };
}

function sizeWords(origin: string, sign: '>=' | '>' | '<=' | '<', limit: number | bigint): Described {
  const [low, unit] = [sign.startsWith('>'), { string: ' characters', array: ' entries' }[origin] ?? ''];
  if (unit === '') return { type: low ? 'greater_than' : 'less_than', msg: `must be ${sign} ${limit}` };
  const type = low ? 'too_short' : 'too_long';
  if (low && Number(limit) <= 1) return { type, msg: 'must not be empty' };
  return { type, msg: `must have at ${low ? 'least' : 'most'} ${limit}${unit}` };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const part of path) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[part];
  }
  return at;
}

function shown(input: unknown): unknown {
  if (typeof input === 'string') return cut(input);
  if (typeof input === 'number' && !Number.isFinite(input)) return String(input);
  if (Array.isArray(input)) return `(list of ${input.length})`;
  if (typeof input === 'object' && input !== null) return `(object with ${Object.keys(input).length} fields)`;
  return input ?? null;
}

const cut = (text: string): string =>
  text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH - 1)}…` : text;

/** `reminders[0].send_keys.sequence`. A name with other characters is quoted, so that it cannot look like another path. */
export function shownPath(loc: readonly (string | number)[]): string {
  return loc
    .map((part, i) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!/^[\w-]+$/.test(part)) return `[${JSON.stringify(part)}]`;
      return i === 0 ? part : `.${part}`;
    })
    .join('');
}
