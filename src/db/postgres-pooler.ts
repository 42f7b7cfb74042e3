import type { Client } from 'pg';
import { type Clock, RouseError, unsupported } from '../base/index.ts';
import type { Sql } from './sql.ts';

/** A server under load may by chance give a client the same connection twice, so it is asked several times. */
const ROUNDS = 10;
const HEARD_WITHIN_MS = 5_000;

/** Whether this connection is one to the database server itself: then both know it by the same process id. */
export async function isDirect(client: Client): Promise<boolean> {
  return (await backendOf(client)) === (client as Client & { processID?: number | null }).processID;
}

/**
 * Whether a pooler gives each transaction whichever connection is free. Two clients at once have a connection each, and keep
 * it, where it does not.
 */
export async function changesBackends(one: Client, other: Client): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    const before = await backendOf(one);
    await other.query('BEGIN');
    const meanwhile = await backendOf(other);
    // The pooler may have no third: while the other holds it, nobody asks.
    const changed = meanwhile === before || (await backendOf(one)) !== before;
    await other.query('ROLLBACK');
    if (changed) return true;
  }
  return false;
}

async function backendOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: string | number }>('SELECT pg_backend_pid() AS pid');
  return Number(rows[0]?.pid);
}

export function poolerWithoutDirectUrl(): RouseError {
  return unsupported('the database URL leads to a connection pooler in transaction mode', {
    hint: 'set ROUSE_DATABASE_DIRECT_URL to the database server itself, which notifications are heard from; or use session mode',
  });
}

/** What is sent by one URL is heard by the other, or they are not two ways to the same database. */
export async function requireHearing(sql: Sql, clock: Clock): Promise<void> {
  let stop: (() => Promise<void>) | undefined;
  let cancel = (): void => {};
  const heard = new Promise<boolean>((resolve, reject) => {
    sql
      .listen('rouse_direct', () => resolve(true))
      .then((unlisten) => {
        stop = unlisten;
        cancel = clock.after(HEARD_WITHIN_MS, () => resolve(false));
        sql.notify('rouse_direct', 'start');
      })
      .catch((error: RouseError) => reject(onDirectUrl(error)));
  });
  try {
    if (await heard) return;
  } finally {
    cancel();
    await stop?.();
  }
  throw unsupported('a notification sent by the database URL is not heard by ROUSE_DATABASE_DIRECT_URL', {
    hint: 'both must lead to the same database, and the direct URL to the server itself',
  });
}

function onDirectUrl(error: RouseError): RouseError {
  return new RouseError(error.code, `ROUSE_DATABASE_DIRECT_URL: ${error.message}`, {
    hint: error.hint,
    facts: error.facts,
    cause: error,
  });
}
