import type { Sql, SqlValue } from '../../db/index.ts';
import { ENDED_MESSAGES, sqlList } from '../../domain/index.ts';

export interface Retention {
  /** Days for which delivered messages are kept, and with them their keys and their answers. */
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
 * One pass over all workspaces: what expired is dropped, what was leased to a session that is gone is given up, what
 * ended long ago is deleted. In small batches that skip what others hold, so that it never stands in anybody's way and
 * several servers may do it at once. A lease that ran out under the session that is still registered is left to it.
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
        last_error = 'the session that had it did not answer; whether it was delivered is unknown'
      WHERE id = ANY(ARRAY(${ORPHANED} LIMIT ${BATCH} FOR UPDATE OF q SKIP LOCKED))`),
    deleted: await inBatches(
      `DELETE FROM a2a_queue WHERE id = ANY(ARRAY(${OLD} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
      days(retention),
    ),
  };
}

/** What a pass would find, counted up to one batch of each kind. */
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

/** The last test alone is what the index answers; the one before it tells the kinds apart. */
const OLD = `SELECT id FROM a2a_queue WHERE status IN ${sqlList(ENDED_MESSAGES)}
    AND completed_at < now() - make_interval(days => CASE status WHEN 'completed' THEN $1::int ELSE $2::int END)
    AND completed_at < now() - make_interval(days => $3::int)
  ORDER BY completed_at`;
