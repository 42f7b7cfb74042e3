import type { Client } from 'pg';
import { type Clock, RouseError, unsupported } from '../base/index.ts';
import type { Sql } from './sql.ts';

/** A pooler under load may return the same connection twice by chance, so it is asked several times. */
const ROUNDS = 10;
const RECEIVED_WITHIN_MS = 5_000;

/** Whether this connection leads to the database server itself: then both ends know it by the same process id. */
export async function isDirect(client: Client): Promise<boolean> {
  return (await backendOf(client)) === (client as Client & { processID?: number | null }).processID;
}

/** Whether a pooler gives each transaction any free connection. Otherwise two clients each keep their own. */
export async function changesBackends(one: Client, other: Client): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    const before = await backendOf(one);
    await other.query('BEGIN');
    const ofOther = await backendOf(other);
    // The pooler may have no third connection, so nothing is asked while the other client holds one.
    const changed = ofOther === before || (await backendOf(one)) !== before;
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
    hint: 'set ROUSE_DATABASE_DIRECT_URL to the database server itself, which sends the notifications; or use session mode',
  });
}

/**
 * Throws unless a notification sent through one URL arrives through the other: otherwise they are not the same
 * database.
 */
export async function requireSameDatabase(sql: Sql, clock: Clock): Promise<void> {
  let stop: (() => Promise<void>) | undefined;
  let cancel = (): void => {};
  const received = new Promise<boolean>((resolve, reject) => {
    sql
      .listen('rouse_direct', () => resolve(true))
      .then((unlisten) => {
        stop = unlisten;
        cancel = clock.after(RECEIVED_WITHIN_MS, () => resolve(false));
        sql.notify('rouse_direct', 'start');
      })
      .catch((error: RouseError) => reject(onDirectUrl(error)));
  });
  try {
    if (await received) return;
  } finally {
    cancel();
    await stop?.();
  }
  throw unsupported('a notification sent by the database URL does not arrive at ROUSE_DATABASE_DIRECT_URL', {
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
