import type { Context } from 'hono';
import type { z } from 'zod';
import { parseBody, refusal } from '../wire/index.ts';

/** A body larger than this is refused unread. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

export const NOT_JSON = 'the body must be sent with "Content-Type: application/json"';

/** The request's JSON, of the right type and size, checked against the schema. */
export async function readBody<S extends z.ZodType>(context: Context, schema: S): Promise<z.output<S>> {
  return parseBody(schema, await readJson(context));
}

/** The same where nothing at all may be sent. */
export async function readOptionalBody<S extends z.ZodType>(
  context: Context,
  schema: S,
): Promise<z.output<S>> {
  if (context.req.header('content-type') !== undefined) return readBody(context, schema);
  if ((await readBytes(context)).length === 0) return parseBody(schema, {});
  return readBody(context, schema);
}

/** The request's JSON, of the right type and size. */
export async function readJson(context: Context): Promise<unknown> {
  if (!isJson(context.req.header('content-type'))) {
    throw refusal('content_type', NOT_JSON);
  }
  return parseJson(await readBounded(context));
}

/** Whether a Content-Type header means JSON. */
export function isJson(header: string | undefined): boolean {
  return (header ?? '').split(';')[0]!.trim().toLowerCase() === 'application/json';
}

/** The request's body as it came, for whoever passes it on; empty when there is none. */
export async function readBytes(context: Context, limit = MAX_BODY_BYTES): Promise<Buffer> {
  const tooLarge = refusal('body_too_large', `the body is larger than ${limit} bytes`);
  if (Number(context.req.header('content-length') ?? 0) > limit) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of context.req.raw.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function readBounded(context: Context): Promise<string> {
  const bytes = await readBytes(context);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refusal('json_invalid', 'the body is not valid UTF-8');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal('json_invalid', 'the body is not valid JSON');
  }
}
