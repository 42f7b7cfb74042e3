import * as z from 'zod';
import { type FieldProblem, parseUtcTime } from '../domain/index.ts';

/** Names and descriptions for the generated documents. A registry of our own, so nothing leaks between programs. */
export const named = z.registry<{ id?: string; description?: string }>();

/** Gives a schema the name under which the OpenAPI document lists it. */
export function name<S extends z.ZodType>(id: string, schema: S): S {
  named.add(schema, { id });
  return schema;
}

/** Says in the generated documents what a field means. */
export function about<S extends z.ZodType>(description: string, schema: S): S {
  const own = schema.clone(schema.def as never) as S;
  named.add(own, { description });
  return own;
}

/** An object that refuses unknown keys and says which it knows. */
export function strict<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `known fields are ${Object.keys(shape).join(', ') || 'none'}`
        : undefined,
  });
}

/** Adds rules between fields, written as a pure function in domain/ or beside the schema. */
export function rules<S extends z.ZodType>(schema: S, problemsOf: (value: z.output<S>) => FieldProblem[]): S {
  return schema.superRefine((value, context) => {
    for (const { path, message } of problemsOf(value)) context.addIssue({ code: 'custom', path, message });
  }) as S;
}

/** Optional in a request, refused with any other value. */
export const schemaVersion = <V extends number>(version: V) => z.literal(version).default(version);

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

/** A stamp we wrote. */
export const stamp = z.string();

/** Seconds of any size above zero, fractions included. */
export const seconds = z.number().positive();

/** A whole number as far as a double is exact. */
export const integer = z.int('must be an integer');
export const count = integer.nonnegative();
export const port = integer.min(1).max(65_535);
export const absolutePath = text.refine((value) => value.startsWith('/'), 'must be an absolute path');

/** Of every list that can be cut. */
export const nextPage = {
  next_cursor: about('Give it back as `cursor` for the next page; null on the last.', z.string().nullable()),
  truncated: about('There is another page.', z.boolean()),
};
