import { type Clock, sleep, systemClock } from '../base/index.ts';
import type { Sql } from './sql.ts';
import { isSerializationFailure } from './sql-errors.ts';

export interface RetryOptions {
  /** Max attempts in all. */
  attempts?: number;
  clock?: Clock;
}

/**
 * Runs a serialisable transaction again if it conflicted with another. `fn` may therefore run several times and must
 * not do anything that outlives a rollback.
 */
export async function serializable<T>(
  sql: Sql,
  fn: (sql: Sql) => Promise<T>,
  { attempts = 8, clock = systemClock }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sql.transaction(fn, { isolation: 'serializable' });
    } catch (error) {
      if (attempt >= attempts || !isSerializationFailure(error)) throw error;
      await sleep(clock, Math.random() * Math.min(500, 5 * 2 ** attempt));
    }
  }
}
