import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import * as z from 'zod';

type Json = Record<string, unknown>;

/** The input of a tool, checked by its schema. */
export function takes(input: z.ZodObject): StandardSchemaWithJSON {
  return listedAs(
    () => inputSchema(input),
    (value) => input['~standard'].validate(value),
  );
}

/** The output of a tool, for its documentation. A gateway of another version may return more: that is passed on. */
export function returns(output: z.ZodObject): StandardSchemaWithJSON {
  return listedAs(
    () => jsonSchema(output, 'output'),
    (value) => ({ value }),
  );
}

export const inputSchema = (input: z.ZodObject): Json => jsonSchema(input, 'input');

type Validate = StandardSchemaWithJSON['~standard']['validate'];

/** Made once, when tools are first listed: over HTTP each request has a server of its own. */
function listedAs(make: () => Json, validate: Validate): StandardSchemaWithJSON {
  let made: Json | undefined;
  const same = (): Json => (made ??= make());
  return {
    '~standard': { version: 1, vendor: 'rouse', validate, jsonSchema: { input: same, output: same } },
  };
}

/** Many clients expect `type` to be one word, so null goes into `anyOf`. */
function jsonSchema(schema: z.ZodObject, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema: each }) {
      if (io === 'output' && each.additionalProperties === false) delete each.additionalProperties;
    },
  });
  return withOneType(json) as Json;
}

function withOneType(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withOneType);
  const each = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withOneType(part)]));
  if (!Array.isArray(each['type'])) return each;
  const { type, description, default: otherwise, ...rest } = each;
  return {
    ...(description !== undefined && { description }),
    ...(otherwise !== undefined && { default: otherwise }),
    anyOf: (type as string[]).map((one) => (one === 'null' ? { type: one } : { type: one, ...rest })),
  };
}
