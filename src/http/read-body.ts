import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { z } from 'zod';
import { invalid } from '../base/index.ts';
import { limit, limitHint } from '../domain/index.ts';
import { parseBody, refusal } from '../wire/index.ts';
import { countBody } from './body-budget.ts';

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

export const NOT_JSON = 'the body must be sent with "Content-Type: application/json"';

/** The request's JSON, of the right type and size, checked against the schema. */
export async function readBody<S extends z.ZodType>(context: Context, schema: S): Promise<z.output<S>> {
  return parseBody(schema, await readJson(context));
}

/** The same for a body that may be missing, whatever its Content-Type then. */
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

/** The same for a request that may have no body. */
export async function readJsonIfAny(context: Context): Promise<unknown> {
  const bytes = await readBytes(context);
  return bytes.length === 0 ? undefined : jsonIn(context, bytes);
}

function requireJson(context: Context): void {
  if (!isJson(context.req.header('content-type'))) throw refusal('content_type', NOT_JSON);
}

function jsonIn(context: Context, bytes: Buffer): unknown {
  requireJson(context);
  try {
    return parseJson(UTF_8.decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) throw refusal('json_invalid', 'the body is not valid UTF-8');
    throw error;
  }
}

const JSON_TYPE = 'application/json';

/** Whether a Content-Type header means JSON. */
export function isJson(header: string | undefined): boolean {
  return header === JSON_TYPE || (header ?? '').split(';')[0]!.trim().toLowerCase() === JSON_TYPE;
}

/** The bytes of the body, to be passed on; empty without one. A body that is too large is refused unread. */
export async function readBytes(context: Context, max = limit('bodyBytes')): Promise<Buffer> {
  if (Number(context.req.header('content-length') ?? 0) > max) throw tooLarge(max);
  const { incoming } = (context.env ?? {}) as Partial<HttpBindings>;
  return incoming ? bytesOf(incoming, max, countBody(context)) : webBytesOf(context.req.raw, max);
}

/** Read from the socket: for a small body, a web stream costs more than everything else together. */
function bytesOf(
  incoming: IncomingMessage | Http2ServerRequest,
  max: number,
  count: (bytes: number) => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const lost = (): void => reject(invalid('the connection was closed before the whole body was received'));
    const cut = (): void => {
      if (!incoming.readableEnded) lost();
    };
    if (incoming.destroyed) return lost();
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      try {
        if (size > max) throw tooLarge(max);
        count(chunk.length);
      } catch (error) {
        incoming.off('data', take).pause();
        chunks.length = 0;
        reject(error);
      }
    };
    incoming.on('data', take);
    incoming.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    incoming.once('error', cut).once('close', cut);
  });
}

async function webBytesOf({ body }: Request, max: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > max) throw tooLarge(max);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(max: number): Error {
  return refusal('body_too_large', `the body is larger than ${max} bytes`, {
    ...(max === limit('bodyBytes') && { hint: limitHint('bodyBytes') }),
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal('json_invalid', 'the body is not valid JSON');
  }
}
