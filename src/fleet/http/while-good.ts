import type { MiddlewareHandler } from 'hono';
import { type Clock, isRouseError } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { requireLive } from '../identity/index.ts';
import { callerOf } from './authenticate.ts';

/** A response sooner than this is for a token that was valid when it was checked. */
const SOON_MS = 1000;

/**
 * Checks the token again before a held response is sent, and before each piece of a stream that comes after a pause: a
 * revoked token does not see what happened since. Changes are checked by the code that makes them.
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
    context.res = new Response(body.pipeThrough(checkedAfterPauses(look)), context.res);
  };
}

function checkedAfterPauses(look: () => Promise<void>): TransformStream<Uint8Array, Uint8Array> {
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
