import type { Log } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { OPEN } from './due.ts';

/** Counting stops here. */
const MAX_COUNTED = 1000;
const NAMED = 20;

/**
 * Counts open tickets for agents that do not exist, for which nothing can be done, and logs those it has not logged
 * before. Returns a function, because it remembers what it logged while the rows exist.
 */
export function badRecipients(log: Log): (sql: Sql) => Promise<number> {
  let logged = new Set<string>();
  return async (sql) => {
    const { rows } = await sql.query<{ id: string }>(
      `SELECT r.id FROM requests r WHERE ${OPEN} AND r.recipient_workspace_id IS NULL ORDER BY r.id LIMIT ${MAX_COUNTED}`,
    );
    const fresh = rows.map(({ id }) => id).filter((id) => !logged.has(id));
    logged = new Set(rows.map(({ id }) => id));
    if (fresh.length > 0) {
      log.warn('requests are addressed to agents that do not exist; they are left out', {
        count: fresh.length,
        requests: fresh.slice(0, NAMED).join(','),
      });
    }
    return rows.length;
  };
}
