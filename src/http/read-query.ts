import type { Context } from 'hono';
import * as z from 'zod';
import { invalid } from '../base/index.ts';
import { parseBody } from '../wire/index.ts';

/** The query parameters, checked by the schema. Numbers are parsed from text here. */
export function readQuery<S extends z.ZodObject>(context: Context, schema: S): z.output<S> {
  const values = Object.entries(context.req.query()).map(([name, text]) => {
    const bounds = boundsOf(schema.shape[name]);
    return [name, bounds ? wholeNumber(text, name, bounds) : text];
  });
  return parseBody(schema, Object.fromEntries(values), 'query');
}

interface Bounds {
  min: number;
  max: number;
}

/** Parses a whole number within bounds; undefined when there is no text. */
export function wholeNumber(
  text: string | undefined,
  name: string,
  { min, max }: Bounds,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^-?\d{1,16}$/.test(text) || value < min || value > max) {
    throw invalid(`${name} must be a whole number from ${min} to ${max}`);
  }
  return value;
}

/** Undefined for fields that are not numbers. */
function boundsOf(field: unknown): Bounds | undefined {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault) return boundsOf(field.unwrap());
  if (!(field instanceof z.ZodNumber)) return undefined;
  return { min: field.minValue ?? Number.MIN_SAFE_INTEGER, max: field.maxValue ?? Number.MAX_SAFE_INTEGER };
}
