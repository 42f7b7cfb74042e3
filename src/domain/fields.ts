import * as z from 'zod';
import type { FieldProblem } from './field-problem.ts';
import { LIMITS, type LimitName, limit, limitHint, limitSentence } from './limits.ts';
import { parseUtcTime } from './utc-time.ts';

/** The words schemas are made of. */

/** Describes a field in every document made from the schema: OpenAPI and the MCP tools. */
export function about<S extends z.ZodType>(description: string, schema: S): S {
  return schema.describe(description);
}

/** What a field of text can name besides itself. */
export const NAMED_THINGS = ['file', 'directory', 'command', 'argument', 'url', 'environment'] as const;
export type NamedThing = (typeof NAMED_THINGS)[number];

/** Who may send a field that names such a thing, and what is done with it. docs/access.md lists them. */
export const FIELD_SENDERS = {
  owner_or_session:
    'the owner; others only a file below the working directory of the session, opened without following a link out of it',
  launcher:
    'the owner, administrators of the whole server, tokens with the grant `launch`, and people to whom the owner passed an environment file',
  registrar:
    "the owner, administrators of the whole server, and tokens with the grant `launch`; only a session of the server's runtime directory",
  prompter:
    'anyone who may prompt the agent; it becomes one word of the command line of its tool, and is never a flag',
  stored_only: 'any caller; it is stored and shown, and nothing is ever opened, run or asked by it',
  push_service:
    'people on the page with the right to answer, after the owner has added Web Push; only https addresses of the push services of browsers',
  listed: 'any caller; one of a fixed list of names, and nothing else is looked for',
  refused: 'no one: it is refused',
  own_files: 'the account that owns the files of Rouse (0600 in 0700)',
  own_config: 'the person whose configuration file or environment it is',
  project: 'a project, once the owner has trusted its `.rouse.toml` as it is',
} as const;
export type FieldSender = keyof typeof FIELD_SENDERS;

const namedThings = z.registry<{ names: NamedThing; sender: FieldSender }>();

/** Marks a field that names a file, a directory, a command or a URL, with who may send it. */
export function names<S extends z.ZodType>(thing: NamedThing, sender: FieldSender, schema: S): S {
  // A copy, because schemas such as `absolutePath` are used in many places.
  return (schema.clone() as z.ZodType).register(namedThings, { names: thing, sender }) as S;
}

/** Returns the mark of a schema, if it has one. */
export function markOf(schema: z.ZodType): { names: NamedThing; sender: FieldSender } | undefined {
  return namedThings.get(schema);
}

/** An object that refuses unknown keys and lists the known ones in the error. */
export function strict<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `known fields are ${knownFields(issue.inst).join(', ') || 'none'}`
        : undefined,
  });
}

/** Of the object that was checked, which may have more fields than the one it extends. */
function knownFields(schema: unknown): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Adds rules between fields, written as a pure function in domain/ or beside the schema. */
export function rules<S extends z.ZodType>(schema: S, problemsOf: (value: z.output<S>) => FieldProblem[]): S {
  return schema.superRefine((value, context) => {
    for (const { path, message, hint } of problemsOf(value))
      context.addIssue({ code: 'custom', path, message, params: { hint } });
  }) as S;
}

/** Not longer than the limit in force when a value is checked. Documents show the default limit. */
export function bounded<S extends z.ZodType<{ readonly length: number }>>(
  name: LimitName,
  schema: S,
  description?: string,
): S {
  const { unit, standard } = LIMITS[name];
  return schema
    .refine((value) => value.length <= limit(name), {
      error: () => `must have at most ${limit(name)} ${unit}`,
      params: { type: 'too_long', hint: limitHint(name) },
    })
    .meta({
      description: [description, limitSentence(name)].filter(Boolean).join(' '),
      [unit === 'entries' ? 'maxItems' : 'maxLength']: standard,
    }) as S;
}

/** Returns the hint of the first broken rule that has one. */
export function hintIn(issues: readonly z.core.$ZodIssue[]): string | undefined {
  for (const issue of issues) {
    const hint: unknown = issue.code === 'custom' ? issue.params?.['hint'] : undefined;
    if (typeof hint === 'string') return hint;
  }
  return undefined;
}

/** Max length of any text; a whole request body is smaller. What is kept in lists or for long has its own maximum. */
const MAX_TEXT_LENGTH = 8 * 1024 * 1024;
/** Max length of names, ids, references and paths. */
const MAX_LINE_LENGTH = 4096;

/** Text that every store can keep unchanged: no U+0000, no half of a surrogate pair. */
export const text = z
  .string()
  .max(MAX_TEXT_LENGTH, `must have at most ${MAX_TEXT_LENGTH} characters`)
  .refine((value) => !value.includes('\u0000'), 'must not contain U+0000')
  .refine((value) => !/\p{Surrogate}/u.test(value), 'must be well-formed Unicode');

/** Not blank; the value keeps its white space. */
export const notBlank = text.refine((value) => value.trim() !== '', 'must not be empty');

/** Not blank, and trimmed. */
export const trimmed = text
  .trim()
  .max(MAX_LINE_LENGTH, `must have at most ${MAX_LINE_LENGTH} characters`)
  .refine((value) => value !== '', 'must not be empty');

export const oneLine = trimmed.refine(
  (value) => !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(value),
  'must be one line without control characters',
);

/** An instant as people write it: ISO-8601, UTC unless it has an offset. */
export const instant = z
  .string()
  .max(64, 'must have at most 64 characters')
  .refine(
    (value) => parseUtcTime(value) !== undefined,
    'must be an ISO-8601 time such as 2026-01-31T08:00:00Z',
  );

/** A whole number that a double represents exactly. */
export const integer = z.int('must be an integer');

/** Passed to a tool as one word of its command line, so it must not look like a flag. */
export const argument = oneLine.refine((value) => !value.startsWith('-'), 'must not begin with "-"');

export const absolutePath = text
  .max(MAX_LINE_LENGTH, `must have at most ${MAX_LINE_LENGTH} characters`)
  .refine((value) => value.startsWith('/'), 'must be an absolute path');
