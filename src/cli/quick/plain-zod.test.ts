import { createRequire } from 'node:module';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import * as zod from 'zod';
import * as schemas from '../../domain/schemas.ts';

const source = fileURLToPath(new URL('../../', import.meta.url));
const require = createRequire(import.meta.url);
const lazy = require(path.join(source, '../scripts/lazy-zod.cjs')) as typeof zod;
/** Whether zod itself was asked: it would have been loaded for that. */
const { plainParse, UNSURE } = require(path.join(source, '../scripts/plain-zod.cjs')) as {
  plainParse(note: object, value: unknown, noteOf: () => undefined): unknown;
  UNSURE: symbol;
};

const VALUES: unknown[] = [
  undefined,
  null,
  true,
  0,
  -1,
  2.5,
  2 ** 60,
  Number.NaN,
  '',
  ' a ',
  'ab',
  '😀',
  '\ud800',
  'any',
  [],
  ['ab'],
  ['ab', 'ab'],
  [1],
  {},
  { a: 'ab' },
  { a: undefined },
  { a: 'ab', b: 1 },
  { a: 'ab', c: [{ d: null }] },
  JSON.parse('{"__proto__":1,"a":"ab"}'),
  new Date(0),
];

const SCHEMAS: Record<string, (z: typeof zod) => zod.ZodType> = {
  string: (z) => z.string().min(1).max(2),
  trimmed: (z) => z.string().trim().nonempty(),
  regex: (z) => z.string().regex(/^a/g, 'must begin with a'),
  number: (z) => z.number().positive().lt(3),
  int: (z) => z.int('must be an integer').nonnegative(),
  literal: (z) => z.literal('ab').nullable(),
  enum: (z) => z.enum(['any', 'ab']).default('any'),
  array: (z) => z.array(z.string().min(1)).max(1),
  'array of': (z) => z.string().array().nonempty(),
  json: (z) => z.json(),
  record: (z) => z.record(z.string().length(1), z.unknown()),
  'record of an enum': (z) => z.record(z.enum(['a']), z.unknown()),
  object: (z) => z.object({ a: z.string().optional(), b: z.int().default(3) }),
  loose: (z) => z.looseObject({ a: z.string().describe('a word') }),
  strict: (z) => z.strictObject({ a: z.string().trim().nullish().describe('a word'), b: z.int().optional() }),
  unknown: (z) => z.object({ a: z.unknown() }),
  'a default that is a list': (z) => z.object({ a: z.array(z.string()).default([]) }),
  'an optional default': (z) => z.object({ a: z.string().default('x').optional() }),
  transform: (z) => z.string().transform((text) => text.length),
  pipe: (z) =>
    z
      .string()
      .transform((text) => text.length)
      .pipe(z.int().min(1)),
  refine: (z) => z.string().refine((text) => text.length > 1, 'is too short'),
  superRefine: (z) =>
    z.string().superRefine((text, context) => {
      if (text === '') context.addIssue({ code: 'custom', message: 'is empty' });
    }),
  extended: (z) =>
    z
      .strictObject({ a: z.string() })
      .refine(({ a }) => a !== '', 'is empty')
      .safeExtend({ b: z.int().optional() }),
  union: (z) => z.union([z.string(), z.array(z.int())]),
  catch: (z) => z.object({ a: z.string().catch('x').optional() }),
};

const outcome = (schema: zod.ZodType, value: unknown): unknown => {
  const { success, data, error } = schema.safeParse(value);
  return success ? { data, keys: JSON.stringify(data) } : { issues: error.issues };
};

describe('a schema that is only written down judges as zod does', () => {
  for (const [name, make] of Object.entries(SCHEMAS))
    it(name, () => {
      for (const value of VALUES) expect(outcome(make(lazy), value)).toEqual(outcome(make(zod), value));
    });
});

it('zod is not asked about what is plainly right', () => {
  const note = { name: 'min', args: [1], of: { name: 'string', args: [], of: undefined } };
  expect(plainParse(note, 'a', () => undefined)).toBe('a');
  expect(plainParse(note, '', () => undefined)).toBe(UNSURE);
});

describe('what is asked of a mailbox', () => {
  let quick: typeof schemas;

  beforeAll(async () => {
    const { lazyZod } = (await import(path.join(source, '../scripts/quick-bundles.mjs'))) as {
      lazyZod: esbuild.Plugin;
    };
    const { outputFiles } = await esbuild.build({
      stdin: { contents: "export * from './domain/schemas.ts';", resolveDir: source },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      write: false,
      logLevel: 'error',
      plugins: [lazyZod],
    });
    const module = { exports: {} };
    new Function('module', 'exports', 'require', outputFiles[0]!.text)(module, module.exports, require);
    quick = module.exports as typeof schemas;
  });

  const FIELDS: Record<string, unknown[]> = {
    to: [['ana@houmao.localhost'], [], [' ']],
    subject: ['first', 'two\nlines', ''],
    body_content: ['text', '\u0000'],
    attachments: [[], [{ path: '/a' }], [{ path: 'a', copy: true }]],
    message_ref: ['filesystem:a', ''],
    message_refs: [['a'], ['a', 'a']],
    read_state: ['unread', 'seen'],
    read: [true, 1],
    limit: [5, 0],
    box: ['inbox', 'no such box/'],
    archived: [true, null],
    text: ['word', ''],
  };

  it('is judged alike', () => {
    for (const [name, real] of Object.entries(schemas.MAIL_OPERATIONS)) {
      const mine = quick.MAIL_OPERATIONS[name as keyof typeof schemas.MAIL_OPERATIONS];
      const shape = (real as zod.ZodObject).shape;
      let inputs: Record<string, unknown>[] = [{}, { other: 1 }];
      for (const field of Object.keys(FIELDS).filter((each) => each in shape))
        inputs = inputs.flatMap((input) => [
          input,
          ...FIELDS[field]!.map((value) => ({ ...input, [field]: value })),
        ]);
      for (const input of inputs) expect(outcome(mine, input)).toEqual(outcome(real, input));
    }
  });
});
