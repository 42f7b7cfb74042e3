import type { Sql } from '../../db/index.ts';
import { LEASE, LEASED_COLUMNS, type LeasedRow, MAX_AT_ONCE, type Taker } from './lease.ts';

const OVERDUE = `workspace_id = $1::uuid AND status = 'dispatched' AND lease_until <= now()`;
const SAME_SESSION = `(claimed_by = $2 AND attempts < max_attempts AND (expires_at IS NULL OR expires_at > now()))`;
const EXPIRED = `workspace_id = $1::uuid AND status = 'queued' AND expires_at <= now()`;

/**
 * Settles leftovers in the queue of a workspace: leases that ran out are renewed or given up, expired messages are
 * dropped. Returns what was leased again, or undefined if there were no leftovers.
 */
export async function settleOverdue(
  sql: Sql,
  { workspaceId, sessionId, leaseSeconds }: Taker,
  room: number,
): Promise<LeasedRow[] | undefined> {
  const { rows: found } = await sql.query<{ overdue: boolean; expired: boolean }>(
    `SELECT EXISTS (SELECT FROM a2a_queue WHERE ${OVERDUE}) AS overdue,
        EXISTS (SELECT FROM a2a_queue WHERE ${EXPIRED}) AS expired`,
    [workspaceId],
    { prepared: true },
  );
  if (found[0]!.expired) await sql.query(DROP_EXPIRED, [workspaceId]);
  if (!found[0]!.overdue) return undefined;
  await sql.query(GIVE_UP, [workspaceId, sessionId]);
  const { rows } = await sql.query<LeasedRow>(LEASE_AGAIN, [workspaceId, sessionId, room, leaseSeconds]);
  return rows;
}

const chosen = (where: string, limit: number | string): string =>
  `WHERE id = ANY(ARRAY(SELECT id FROM a2a_queue WHERE ${where} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;

const DROP_EXPIRED = `
  UPDATE a2a_queue SET status = 'dropped', completed_at = now(), last_error = 'expired before it was sent'
    ${chosen(EXPIRED, MAX_AT_ONCE)}`;

const GIVE_UP = `
  UPDATE a2a_queue SET status = 'failed', completed_at = now(), last_error = CASE
      WHEN claimed_by <> $2 THEN 'it was handed to another session, which did not respond'
      WHEN attempts >= max_attempts THEN 'it was handed out ' || attempts || ' times without a response'
      ELSE 'it expired while it was handed out' END || '; it is unknown whether it was delivered'
    ${chosen(`${OVERDUE} AND NOT ${SAME_SESSION}`, MAX_AT_ONCE)}`;

const LEASE_AGAIN = `${LEASE} ${chosen(`${OVERDUE} AND ${SAME_SESSION} ORDER BY lease_until`, '$3::int')}
  RETURNING ${LEASED_COLUMNS}`;
