import * as z from 'zod';
import { allowedIn, type CodeOf, codesOf, isName, type NameKind } from '../domain/index.ts';
import { about, integer, oneLine, strict } from '../domain/schemas.ts';

export {
  about,
  absolutePath,
  argument,
  bounded,
  instant,
  integer,
  names,
  notBlank,
  oneLine,
  rules,
  strict,
  text,
  trimmed,
} from '../domain/schemas.ts';

/** Names for the generated documents, in a registry of our own. */
export const named = z.registry<{ id?: string }>();

/** Gives a schema the name under which the OpenAPI document lists it. */
export function name<S extends z.ZodType>(id: string, schema: S): S {
  return (schema as z.ZodType).register(named, { id }) as S;
}

/** Optional in a request, refused with any other value. */
export const schemaVersion = <V extends number>(version: V) => z.literal(version).default(version);

/** A code of a closed set. */
export const oneOf = <Table extends object>(table: Table): z.ZodEnum<{ [Code in CodeOf<Table>]: Code }> =>
  z.enum(codesOf(table));

/** A name with the characters that its kind allows; see domain/names.ts. */
export const nameOf = (kind: NameKind, max = 200) =>
  oneLine.max(max).refine((value) => isName(kind, value), `may have ${allowedIn(kind)}`);

/** A time stamp that Rouse wrote. */
export const stamp = z.string();

/** Seconds of any size above zero, fractions included. */
export const seconds = z.number().positive();

export const count = integer.nonnegative();
export const port = integer.min(1).max(65_535);

/** Fields of every list with pages. */
export const nextPage = {
  next_cursor: about('Pass it as `cursor` for the next page; null on the last.', z.string().nullable()),
  truncated: about('There is another page.', z.boolean()),
};

/**
 * Any JSON up to a size. `x-max-bytes` is in the document because a test requires a maximum for every part of a body.
 */
export function smallJson<S extends z.ZodType>(schema: S, maxBytes: number): S {
  return schema
    .refine((value) => value === undefined || Buffer.byteLength(JSON.stringify(value)) <= maxBytes, {
      error: `must be at most ${maxBytes} bytes as JSON`,
      params: { type: 'too_long' },
    })
    .meta({ 'x-max-bytes': maxBytes }) as S;
}

/** In JSON text: an escaped NUL or half of a surrogate pair, which the databases refuse. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/** Whether a database can store this JSON, keys included. */
export function isStorableJson(value: unknown): boolean {
  return !UNSTORABLE.test(JSON.stringify(value ?? null));
}

export const NOT_STORABLE = 'must not contain U+0000 or half surrogate pairs';

/** For a POST without fields: the body may be missing. Any field is refused, so that no condition is ignored silently. */
export const noFields = {
  body: name('NoFieldsBody', strict({ schema_version: schemaVersion(1) })),
  bodyOptional: true,
} as const;
