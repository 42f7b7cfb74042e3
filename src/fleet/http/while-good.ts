import type { MiddlewareHandler } from 'hono';
import { type Clock, isRouseError } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { requireLive } from '../identity/index.ts';
import { callerOf } from './authenticate.ts';

/** What comes sooner was asked for by a token that was good. */
const SOON_MS = 1000;

/**
 * An answer that was held, and each piece of a stream that comes after a pause, is for a token that is good now: whoever had it
 * revoked is not shown what happened since. Changes are the business of whoever makes them.
 */
export function whileGood(sql: Sql, clock: Clock): MiddlewareHandler {
  return async (context, next) => {
    const caller = callerOf(context);
    if (!caller) return next();
    let lookedAt = clock.monotonic();
    const look = async (): Promise<void> => {
      const now = clock.monotonic();
      if (now - lookedAt < SOON_MS) return;
      await requireLive(sql, caller.tokenId);
      lookedAt = now;
    };
    await next();
    const { body, headers } = context.res;
    try {
      if (context.req.method === 'GET') await look();
    } catch (error) {
      await body?.cancel().catch(() => {});
      throw error;
    }
    if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) return;
    context.res = new Response(body.pipeThrough(lookedAfter(look)), context.res);
  };
}

function lookedAfter(look: () => Promise<void>): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    async transform(piece, controller) {
      try {
        await look();
      } catch (error) {
        // A database that is away says nothing about the token.
        if (isRouseError(error) && error.code === 'unauthorized') return controller.terminate();
      }
      controller.enqueue(piece);
    },
  });
}
