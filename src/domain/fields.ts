import * as z from 'zod';
import type { FieldProblem } from './field-problem.ts';
import { LIMITS, type LimitName, limit, limitHint, limitSentence } from './limits.ts';
import { parseUtcTime } from './utc-time.ts';

/** The words schemas are made of. */

/** Says what a field means, in every document made from the schema: OpenAPI and the tools of MCP. */
export function about<S extends z.ZodType>(description: string, schema: S): S {
  return schema.describe(description);
}

/** An object that refuses unknown keys and says which it knows. */
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

/** Of the object that was asked, which may have more fields than the one it was extended from. */
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

/** No longer than the limit that is in force when a value is checked; documents name the one that nobody set. */
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

/** What the rule that was broken first says to do. */
export function hintIn(issues: readonly z.core.$ZodIssue[]): string | undefined {
  for (const issue of issues) {
    const hint: unknown = issue.code === 'custom' ? issue.params?.['hint'] : undefined;
    if (typeof hint === 'string') return hint;
  }
  return undefined;
}

/** Text every store can keep as it is: no U+0000, no half of a surrogate pair. */
export const text = z
  .string()
  .refine((value) => !value.includes('\u0000'), 'must not contain U+0000')
  .refine((value) => !/\p{Surrogate}/u.test(value), 'must be well-formed Unicode');

/** Not blank; the value keeps its white space. */
export const notBlank = text.refine((value) => value.trim() !== '', 'must not be empty');

/** Not blank, and trimmed. */
export const trimmed = text.trim().refine((value) => value !== '', 'must not be empty');

export const oneLine = trimmed.refine(
  (value) => !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(value),
  'must be one line without control characters',
);

/** An instant somebody writes: ISO-8601, UTC unless it carries an offset. */
export const instant = z
  .string()
  .refine(
    (value) => parseUtcTime(value) !== undefined,
    'must be an ISO-8601 time such as 2026-01-31T08:00:00Z',
  );

/** A whole number as far as a double is exact. */
export const integer = z.int('must be an integer');

export const absolutePath = text.refine((value) => value.startsWith('/'), 'must be an absolute path');
