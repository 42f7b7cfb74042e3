import type { Sql } from '../../db/index.ts';

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
const MOST_BATCHES = 40;

/**
 * One pass over all workspaces: what expired is dropped, what was leased to a session that is gone is given up, what
 * ended long ago is deleted. In small batches that skip what others hold, so that it never stands in anybody's way and
 * several servers may do it at once. A lease that ran out under the session that is still registered is left to it.
 */
export async function upkeepPass(sql: Sql, retention: Retention = RETENTION): Promise<UpkeepResult> {
  return {
    expired: await inBatches(sql, EXPIRE),
    given_up: await inBatches(sql, GIVE_UP),
    deleted: await inBatches(sql, DELETE, [retention.completedDays, retention.deadDays]),
  };
}

async function inBatches(sql: Sql, statement: string, params: number[] = []): Promise<number> {
  let changed = 0;
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const { rowCount } = await sql.query(statement, params);
    changed += rowCount;
    if (rowCount < BATCH) break;
  }
  return changed;
}

const EXPIRE = `
  UPDATE a2a_queue SET status = 'dropped', completed_at = now(), last_error = 'expired before it was sent'
    WHERE id = ANY(ARRAY(SELECT id FROM a2a_queue WHERE status = 'queued' AND expires_at <= now()
      LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`;

const GIVE_UP = `
  UPDATE a2a_queue SET status = 'failed', completed_at = now(),
      last_error = 'the session that had it did not answer; whether it was delivered is unknown'
    WHERE id = ANY(ARRAY(SELECT q.id FROM a2a_queue q JOIN workspaces w ON w.id = q.workspace_id
      WHERE q.status = 'dispatched' AND q.lease_until <= now()
        AND (q.claimed_by IS DISTINCT FROM w.session_id OR q.expires_at <= now() OR w.status = 'removed')
      LIMIT ${BATCH} FOR UPDATE OF q SKIP LOCKED))`;

const DELETE = `
  DELETE FROM a2a_queue WHERE id = ANY(ARRAY(SELECT id FROM a2a_queue
    WHERE status IN ('completed', 'dropped', 'failed')
      AND completed_at < now() - make_interval(days => CASE status WHEN 'completed' THEN $1::int ELSE $2::int END)
      AND completed_at < now() - make_interval(days => least($1::int, $2::int))
    ORDER BY completed_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`;
