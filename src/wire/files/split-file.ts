import * as z from 'zod';
import { innerSchema } from '../source/inner-schema.ts';
import { isOurs } from '../source/ours.ts';
import { ourPart, sourceView } from '../source/source-view.ts';

type Json = Record<string, unknown>;

export interface SplitFile {
  /** Only the source's fields; those without a value are null. */
  published: Json;
  /** Our fields, and those that tie both files together; see beside.ts. */
  beside: Json;
}

export function splitFile(schema: z.ZodType, document: Json, by: readonly string[]): SplitFile {
  const tie = Object.fromEntries(by.map((field) => [field, document[field]]));
  return {
    published: withNulls(schema, sourceView(schema)(document)) as Json,
    beside: { schema_version: 1, ...tie, ...ourPart(schema, document) },
  };
}

/** The source writes fields without a value as null. */
function withNulls(schema: z.ZodType, value: unknown): unknown {
  const inner = innerSchema(schema);
  if (inner) return withNulls(inner, value);
  if (!(schema instanceof z.ZodObject) || value === null || typeof value !== 'object') return value;
  const object = value as Json;
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>)
    .filter(([, each]) => !isOurs(each))
    .flatMap(([name, each]) => {
      if (object[name] !== undefined) return [[name, withNulls(each, object[name])]];
      return each.safeParse(null).success ? [[name, null]] : [];
    });
  return Object.fromEntries(fields);
}
