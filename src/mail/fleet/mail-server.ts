import { isRouseError, type RouseError, RouseError as Trouble } from '../../base/index.ts';
import type { FleetMailServer } from '../transport.ts';

/** The connection was refused, so no one has the message. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
/** A restarting server is back within these tries. */
const TRIES = 4;
const FIRST_PAUSE_MS = 250;

/** The server did not respond, or cannot work now. */
export function isAway(error: unknown): error is RouseError {
  return isRouseError(error) && error.code === 'unavailable';
}

/** The server may have done what it was asked. */
export function inDoubt(error: unknown): boolean {
  if (!isAway(error) || error.facts['http_status'] === 429) return false;
  return error.facts['in_doubt'] === true || !NOT_SENT.has(String(error.facts['errno'] ?? ''));
}

/**
 * Makes a request that may be repeated, because its id makes it the same. Retries a broken connection, so that the
 * result is certain. Reports an unreachable server at once, and does not ask a silent one again.
 */
export async function askSurely<T>(server: FleetMailServer, what: string, body: object): Promise<T> {
  let doubt: RouseError | undefined;
  for (let n = 0; ; n++) {
    try {
      return await server.ask<T>(what, { body });
    } catch (error) {
      if (!isAway(error) || (!doubt && !inDoubt(error))) throw error;
      doubt ??= error;
      if (n >= TRIES || error.facts['errno'] === 'ETIMEDOUT') throw doubtful(doubt);
    }
    await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** n));
  }
}

function doubtful(error: RouseError): RouseError {
  return new Trouble(error.code, error.message, {
    hint: 'look at the sent box before sending it again; with --idempotency-key, or --hold, it can be repeated safely',
    facts: { ...error.facts, in_doubt: true },
    cause: error,
  });
}
