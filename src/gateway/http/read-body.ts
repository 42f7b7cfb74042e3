import type { Context } from 'hono';
import type { z } from 'zod';
import { invalid, RouseError } from '../../base/index.ts';
import { parseBody } from '../../wire/index.ts';

/** A body larger than this is refused unread. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Statuses that exist only at this border, beside those of the error codes. */
export class HttpRefusal extends RouseError {
  readonly status: 413 | 415 | 400;

  constructor(status: 413 | 415 | 400, message: string) {
    super('invalid', message);
    this.status = status;
  }
}

/** The request's JSON, of the right type and size, checked against the schema. */
export async function readBody<S extends z.ZodType>(context: Context, schema: S): Promise<z.output<S>> {
  const type = (context.req.header('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new HttpRefusal(415, 'the body must be sent with "Content-Type: application/json"');
  }
  return parseBody(schema, parseJson(await readBounded(context)));
}

async function readBounded(context: Context): Promise<string> {
  const tooLarge = new HttpRefusal(413, `the body is larger than ${MAX_BODY_BYTES} bytes`);
  if (Number(context.req.header('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of context.req.raw.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw tooLarge;
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new HttpRefusal(400, 'the body is not valid UTF-8');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('the body is not valid JSON');
  }
}
