import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { isRouseError, type RouseError } from '../base/index.ts';
import { count, instant, rules, strict, text } from './fields.ts';
import { parseBody, parseFile } from './parse-body.ts';
import type { Route } from './route.ts';
import { GATEWAY_ROUTES } from './routes.ts';
import { oversize } from './size-limits.ts';

const schema = strict({
  mode: z.enum(['one_off', 'repeat']),
  version: z.literal(1).default(1),
  n: count,
  size: z.number().positive().optional(),
  on: z.boolean().optional(),
  words: z.array(strict({ text })).min(1).optional(),
  at: instant.optional(),
  shape: z
    .discriminatedUnion('kind', [
      strict({ kind: z.literal('a'), x: count }),
      strict({ kind: z.literal('b') }),
    ])
    .optional(),
});

function refusalOf(value: unknown, of: z.ZodType = schema): RouseError {
  try {
    parseBody(of, value);
  } catch (error) {
    if (isRouseError(error)) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

const good = { mode: 'repeat', n: 1 };

it.each([
  [{ ...good, mode: 'daily' }, 'mode must be one of "one_off", "repeat"', 'literal_error'],
  [{ n: 1 }, 'mode is required and must be one of "one_off", "repeat"', 'missing'],
  [{ mode: 'repeat' }, 'n is required', 'missing'],
  [{ ...good, n: '60' }, 'n must be an integer', 'int_type'],
  [{ ...good, n: 1.5 }, 'n must be an integer', 'int_type'],
  [{ ...good, n: true }, 'n must be an integer', 'int_type'],
  [{ ...good, n: null }, 'n must be an integer', 'int_type'],
  [{ ...good, n: -1 }, 'n must be >= 0', 'greater_than'],
  [{ ...good, n: 1e300 }, 'n must be <= 9007199254740991', 'less_than'],
  [{ ...good, size: 0 }, 'size must be > 0', 'greater_than'],
  [{ ...good, size: Number.POSITIVE_INFINITY }, 'size must be finite', 'finite_number'],
  [{ ...good, size: '5' }, 'size must be a number', 'float_type'],
  [{ ...good, on: 'true' }, 'on must be true or false', 'bool_type'],
  [{ ...good, on: 1 }, 'on must be true or false', 'bool_type'],
  [{ ...good, version: 2 }, 'version must be 1', 'literal_error'],
  [{ ...good, version: '1' }, 'version must be 1', 'literal_error'],
  [{ ...good, words: [] }, 'words must not be empty', 'too_short'],
  [{ ...good, words: {} }, 'words must be a list', 'list_type'],
  [{ ...good, words: [{ text: 7 }] }, 'words[0].text must be a string', 'string_type'],
  [{ ...good, words: ['a'] }, 'words[0] must be an object', 'model_type'],
  [{ ...good, words: [{ text: 'a\u0000b' }] }, 'words[0].text must not contain U+0000', 'value_error'],
  [{ ...good, words: [{ text: '\ud800' }] }, 'words[0].text must be well-formed Unicode', 'value_error'],
  [{ ...good, at: 'soon' }, 'at must be an ISO-8601 time such as 2026-01-31T08:00:00Z', 'value_error'],
  [{ ...good, shape: { kind: 'c' } }, 'shape.kind must be one of "a", "b"', 'literal_error'],
  [{ ...good, shape: {} }, 'shape.kind is required and must be one of "a", "b"', 'missing'],
  [{ ...good, shape: { kind: 'a' } }, 'shape.x is required', 'missing'],
  [
    { ...good, shape: { kind: 'b', x: 1 } },
    'shape.x is not a known field; known fields are kind',
    'extra_forbidden',
  ],
  [
    { ...good, Mode: 'x' },
    'Mode is not a known field; known fields are mode, version, n, size, on, words, at, shape',
    'extra_forbidden',
  ],
  ['text', 'body must be an object', 'model_type'],
  [null, 'body must be an object', 'model_type'],
  [[good], 'body must be an object', 'model_type'],
  [undefined, 'body is required', 'missing'],
])('the body %j is refused: %s', (value, message, type) => {
  const error = refusalOf(value);
  expect(error.code).toBe('invalid');
  expect(error.message).toBe(message);
  expect(error.facts['issues']).toMatchObject([{ type, loc: expect.arrayContaining(['body']) }]);
});

it('the message of a bad body names at most five fields and counts the rest', () => {
  const value = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`x${i}`, i]));
  const error = refusalOf({ ...good, ...value });
  expect(error.message.match(/is not a known field/g)).toHaveLength(5);
  expect(error.message).toMatch(/; and 4 more$/);
  expect(error.facts['issues']).toHaveLength(9);
});

it('the list of issues has the shape of the contract, with shortened values', () => {
  const error = refusalOf({ mode: 'x'.repeat(5000), n: [1, 2, 3] });
  expect(error.facts['issues']).toEqual([
    {
      type: 'literal_error',
      loc: ['body', 'mode'],
      msg: 'must be one of "one_off", "repeat"',
      input: `${'x'.repeat(119)}…`,
    },
    { type: 'int_type', loc: ['body', 'n'], msg: 'must be an integer', input: '(list of 3)' },
  ]);
});

it('a hostile key is quoted and cut, so that it cannot look like another path or grow the response', () => {
  const error = refusalOf({ ...good, 'a"; drop\n': 1, ['k'.repeat(9000)]: 1 });
  expect(error.message).toContain('["a\\"; drop\\n"]');
  expect(error.message.length).toBeLessThan(700);
});

it('__proto__ in a body is an unknown field like any other', () => {
  const error = refusalOf(JSON.parse('{"mode":"repeat","n":1,"__proto__":{"on":true}}'));
  expect(error.message).toMatch(/^__proto__ is not a known field/);
});

it('thousands of bad entries lead to a bounded error', () => {
  const error = refusalOf({ ...good, words: Array.from({ length: 5000 }, () => 1) });
  expect(error.message.length).toBeLessThan(500);
  expect(error.facts['issues']).toHaveLength(50);
});

it('checking the size of a body takes no longer than parsing it', () => {
  const list = `[${Array(10_000).fill('[]').join(',')}]`;
  const body = `{"a":[${Array(40).fill(list).join(',')}]}`;
  const took = { parsing: Number.POSITIVE_INFINITY, looking: Number.POSITIVE_INFINITY };
  for (let n = 0; n < 3; n++) {
    const begun = performance.now();
    const value: unknown = JSON.parse(body);
    const parsed = performance.now();
    expect(oversize(value, 'body')).toBeUndefined();
    took.parsing = Math.min(took.parsing, parsed - begun);
    took.looking = Math.min(took.looking, performance.now() - parsed);
  }
  expect(took.looking).toBeLessThan(took.parsing);
});

it('a list or object that is too large is refused before its entries are checked', () => {
  const zeros = Array.from({ length: 500_000 }, () => 0);
  expect(refusalOf({ ...good, words: zeros }).message).toBe('words must have at most 10000 entries');
  expect(refusalOf({ ...good, words: [{ text: [zeros] }] }).message).toBe(
    'words[0].text[0] must have at most 10000 entries',
  );
  const wide = Object.fromEntries(zeros.slice(0, 1001).map((_, i) => [`k${i}`, i]));
  expect(refusalOf(wide).message).toBe('body must have at most 1000 fields');
});

it('a value nested too deep is refused at its first field', () => {
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
  expect(refusalOf({ ...good, words: [{ text: deep }] }).message).toBe(
    'words must not be nested deeper than 64',
  );
});

it('an issue between fields is reported with its path', () => {
  const ruled = rules(strict({ inner: strict({ a: count, b: count }) }), ({ inner }) =>
    inner.a < inner.b ? [] : [{ path: ['inner', 'b'], message: 'set it above a' }],
  );
  expect(refusalOf({ inner: { a: 2, b: 1 } }, ruled).message).toBe('inner.b: set it above a');
});

it('the error for a bad file names the file', () => {
  expect(() => parseFile(schema, {}, '/s/manifest.json')).toThrow(
    /^\/s\/manifest\.json is not valid: mode is required/,
  );
});

describe('every body of every route', () => {
  const bodies = Object.values<Route>(GATEWAY_ROUTES).filter((route) => route.body);

  it.each(bodies.map((route) => [route.id, route] as const))(
    '%s: no JSON value does anything but pass or be refused',
    (_, route) => {
      const keys = fc.constantFrom(
        'schema_version',
        'prompt',
        'kind',
        'payload',
        'reminders',
        'to',
        'message_refs',
        'read',
      );
      const value = fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue()));
      fc.assert(
        fc.property(value, (body) => {
          try {
            parseBody(route.body!, body);
          } catch (error) {
            expect(isRouseError(error) && error.code).toBe('invalid');
            expect((error as Error).message.length).toBeLessThan(5000);
            expect(() => JSON.stringify((error as RouseError).facts)).not.toThrow();
          }
        }),
        { numRuns: 200 },
      );
    },
  );
});
