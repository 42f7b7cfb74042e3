import type { Log } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { OPEN } from './due.ts';

/** Counting stops here. */
const MOST = 1000;
const NAMED = 20;

/**
 * Open tickets for agents that do not exist: nothing can be done for them. Counts them, and names those it has not named
 * before. Answers a function, because what was told is remembered, for the rows that are still there.
 */
export function badRecipients(log: Log): (sql: Sql) => Promise<number> {
  let told = new Set<string>();
  return async (sql) => {
    const { rows } = await sql.query<{ id: string }>(
      `SELECT r.id FROM requests r WHERE ${OPEN} AND r.recipient_workspace_id IS NULL ORDER BY r.id LIMIT ${MOST}`,
    );
    const fresh = rows.map(({ id }) => id).filter((id) => !told.has(id));
    told = new Set(rows.map(({ id }) => id));
    if (fresh.length > 0) {
      log.warn('requests are addressed to agents that do not exist; they are left out', {
        count: fresh.length,
        requests: fresh.slice(0, NAMED).join(','),
      });
    }
    return rows.length;
  };
}
