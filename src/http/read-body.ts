import type { Context } from 'hono';
import type { z } from 'zod';
import { limit, limitHint } from '../domain/index.ts';
import { parseBody, refusal } from '../wire/index.ts';

export const NOT_JSON = 'the body must be sent with "Content-Type: application/json"';

/** The request's JSON, of the right type and size, checked against the schema. */
export async function readBody<S extends z.ZodType>(context: Context, schema: S): Promise<z.output<S>> {
  return parseBody(schema, await readJson(context));
}

/** The same where nothing at all may be sent, whatever type nothing is said to have. */
export async function readOptionalBody<S extends z.ZodType>(
  context: Context,
  schema: S,
): Promise<z.output<S>> {
  const bytes = await readBytes(context);
  if (bytes.length === 0) return parseBody(schema, {});
  return parseBody(schema, jsonIn(context, bytes));
}

/** The request's JSON, of the right type and size. */
export async function readJson(context: Context): Promise<unknown> {
  requireJson(context);
  return jsonIn(context, await readBytes(context));
}

function requireJson(context: Context): void {
  if (!isJson(context.req.header('content-type'))) throw refusal('content_type', NOT_JSON);
}

function jsonIn(context: Context, bytes: Buffer): unknown {
  requireJson(context);
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) throw refusal('json_invalid', 'the body is not valid UTF-8');
    throw error;
  }
}

/** Whether a Content-Type header means JSON. */
export function isJson(header: string | undefined): boolean {
  return (header ?? '').split(';')[0]!.trim().toLowerCase() === 'application/json';
}

/** The request's body as it came, for whoever passes it on; empty when there is none. One that is too large is refused unread. */
export async function readBytes(context: Context, most = limit('bodyBytes')): Promise<Buffer> {
  const tooLarge = refusal('body_too_large', `the body is larger than ${most} bytes`, {
    ...(most === limit('bodyBytes') && { hint: limitHint('bodyBytes') }),
  });
  if (Number(context.req.header('content-length') ?? 0) > most) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of context.req.raw.body ?? []) {
    size += chunk.byteLength;
    if (size > most) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal('json_invalid', 'the body is not valid JSON');
  }
}
