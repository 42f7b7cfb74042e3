import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { limit } from '../domain/index.ts';
import { refusal } from '../wire/index.ts';
import { partyOf } from './connection-places.ts';

/** How many bodies of the largest size one party may have in memory. */
const MAX_LARGE_BODIES = 64;

const held = new Map<string, number>();

/**
 * Counts the bytes of a body for the party that sends it until the response is out. Throws when the party has too many bytes
 * in memory, because the memory is shared by all.
 */
export function countBody(context: Context): (bytes: number) => void {
  const party = partyOf(context);
  const { outgoing } = (context.env ?? {}) as Partial<HttpBindings>;
  if (party === undefined || !outgoing) return () => {};
  let own = 0;
  outgoing.once('close', () => {
    const left = (held.get(party) ?? 0) - own;
    if (left > 0) held.set(party, left);
    else held.delete(party);
  });
  return (bytes) => {
    own += bytes;
    const all = (held.get(party) ?? 0) + bytes;
    held.set(party, all);
    if (all > MAX_LARGE_BODIES * limit('bodyBytes'))
      throw refusal('rate_limited', 'too many large bodies are sent at once', {
        hint: 'send them one after the other',
        facts: { retry_after: 1 },
      });
  };
}
