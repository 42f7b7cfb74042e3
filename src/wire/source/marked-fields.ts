import * as z from 'zod';
import { innerSchema } from './inner-schema.ts';
import { isOurs, valuesOfOurs } from './ours.ts';

/** One mark of a schema, with the path to its field: `entries[].request`. */
export interface MarkedField {
  field: string;
  /** For a field of the source: our values, and what the source gets instead. Undefined: the field itself is ours. */
  values?: Readonly<Record<string, string>>;
}

/** Every mark, at any depth, but not inside our own fields. */
export function markedFields(schema: z.ZodType, at = ''): MarkedField[] {
  const values = valuesOfOurs(schema);
  if (values) return [{ field: at, values }];
  const inner = innerSchema(schema);
  if (inner) return markedFields(inner, at);
  if (schema instanceof z.ZodArray) return markedFields(schema.element as z.ZodType, `${at}[]`);
  if (schema instanceof z.ZodUnion) return ofUnion(schema.options as z.ZodType[], at);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, each]) => {
    const field = at ? `${at}.${name}` : name;
    return isOurs(each) ? [{ field }] : markedFields(each, field);
  });
}

function ofUnion(options: readonly z.ZodType[], at: string): MarkedField[] {
  const found = options.flatMap((option) => markedFields(option, at));
  return found.filter(({ field }, n) => found.findIndex((other) => other.field === field) === n);
}
