import type { Sql, SqlValue } from '../../db/index.ts';
import { ENDED_MESSAGES, sqlList } from '../../domain/index.ts';
import type { Sweep } from '../sweep/index.ts';

export interface Retention {
  /** Days for which delivered messages are kept, with their keys and answers. */
  completedDays: number;
  /** Days for which dead letters are kept, so that they can be replayed. */
  deadDays: number;
}

export const RETENTION: Retention = { completedDays: 7, deadDays: 30 };

export interface UpkeepResult {
  expired: number;
  given_up: number;
  deleted: number;
}

const BATCH = 500;

/**
 * Runs one pass over all workspaces: drops what expired, gives up what was leased to a session that is gone, deletes
 * what ended long ago. It works in small batches that skip locked rows, so it never blocks anyone, and several servers
 * may run it at once. A lease that ran out under the session that is still registered is left to that session.
 */
export async function upkeepPass(
  sql: Sql,
  { retention = RETENTION, signal }: { retention?: Retention; signal?: AbortSignal } = {},
): Promise<UpkeepResult> {
  const inBatches = async (statement: string, params: SqlValue[] = []): Promise<number> => {
    let changed = 0;
    while (!signal?.aborted) {
      const { rowCount } = await sql.query(statement, params);
      changed += rowCount;
      if (rowCount < BATCH) break;
    }
    return changed;
  };
  return {
    expired: await inBatches(`UPDATE a2a_queue SET status = 'dropped', completed_at = now(),
        last_error = 'expired before it was sent' WHERE id = ANY(ARRAY(${EXPIRED} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`),
    given_up: await inBatches(`UPDATE a2a_queue SET status = 'failed', completed_at = now(),
        last_error = 'the session that had it did not respond; it is unknown whether it was delivered'
      WHERE id = ANY(ARRAY(${ORPHANED} LIMIT ${BATCH} FOR UPDATE OF q SKIP LOCKED))`),
    deleted: await inBatches(
      `DELETE FROM a2a_queue WHERE id = ANY(ARRAY(${OLD} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
      days(retention),
    ),
  };
}

/** Counts what a pass would find, up to one batch of each kind. */
export async function upkeepWaits(sql: Sql, retention: Retention = RETENTION): Promise<UpkeepResult> {
  const count = (source: string): string => `(SELECT count(*)::int FROM (${source} LIMIT ${BATCH}) found)`;
  const { rows } = await sql.query<UpkeepResult>(
    `SELECT ${count(EXPIRED)} AS expired, ${count(ORPHANED)} AS given_up, ${count(OLD)} AS deleted`,
    days(retention),
  );
  return rows[0]!;
}

const days = ({ completedDays, deadDays }: Retention): SqlValue[] => [
  completedDays,
  deadDays,
  Math.min(completedDays, deadDays),
];

const EXPIRED = `SELECT id FROM a2a_queue WHERE status = 'queued' AND expires_at <= now()`;

const ORPHANED = `SELECT q.id FROM a2a_queue q JOIN workspaces w ON w.id = q.workspace_id
  WHERE q.status = 'dispatched' AND q.lease_until <= now()
    AND (q.claimed_by IS DISTINCT FROM w.session_id OR q.expires_at <= now() OR w.status = 'removed')`;

/** Only the last condition uses the index; the one before it separates the kinds. */
const OLD = `SELECT id FROM a2a_queue WHERE status IN ${sqlList(ENDED_MESSAGES)}
    AND completed_at < now() - make_interval(days => CASE status WHEN 'completed' THEN $1::int ELSE $2::int END)
    AND completed_at < now() - make_interval(days => $3::int)
  ORDER BY completed_at`;

/** Upkeep of the queue, once a minute, by one of several servers. */
export function deliverySweep(retention: Retention = RETENTION): Sweep {
  return {
    name: 'delivery-upkeep',
    summary: 'Drops expired messages, gives up leases of gone sessions, deletes what ended long ago',
    intervalMs: 60_000,
    facts: { completed_days: retention.completedDays, dead_days: retention.deadDays },
    mayHaveWork: async (sql) => Object.values(await upkeepWaits(sql, retention)).some((count) => count > 0),
    run: async ({ sql, dryRun, signal }) =>
      dryRun
        ? { ...(await upkeepWaits(sql, retention)) }
        : { ...(await upkeepPass(sql, { retention, signal })) },
  };
}
