import type { Sql } from '../../db/index.ts';
import { LEASE, LEASED_COLUMNS, type Leased, type LeasedRow, MAX_AT_ONCE, type Taker } from './lease.ts';
import { settleOverdue } from './overdue.ts';

export interface Claim extends Taker {
  /** Maximum number of messages. */
  capacity: number;
  guards?: DispatchGuards;
}

/**
 * Called by kind, just before a message is handed out for the first time. Returns a reason why it is no longer wanted,
 * or undefined. An unwanted message has not been delivered and never will be.
 */
export type DispatchGuards = Readonly<
  Record<string, (sql: Sql, message: { id: string; workspaceId: string }) => Promise<string | undefined>>
>;

/**
 * Hands out what is due, by priority, then age. Takes one statement if there is something; writes nothing if there is
 * not. A lease that ran out under this session is handed out again, since its gateway knows the message by its id. A
 * lease of another session ends as `failed`, because whether that session took it is unknown, and sending twice is
 * worse than saying so.
 */
export async function claim(sql: Sql, wanted: Claim): Promise<Leased[]> {
  const max = Math.min(wanted.capacity, MAX_AT_ONCE);
  const leased: LeasedRow[] = [];
  let settled = false;
  while (leased.length < max) {
    const rows = await leaseDue(sql, wanted, { room: max - leased.length, settled });
    if (rows.length === 0) {
      const again = settled ? undefined : await settleOverdue(sql, wanted, max - leased.length);
      if (!again) break;
      leased.push(...again);
      settled = true;
      continue;
    }
    const kept = await withoutUnwanted(sql, rows, wanted);
    leased.push(...kept);
    // Dropped messages left room for others.
    if (kept.length === rows.length) break;
  }
  return inOrder(leased);
}

/**
 * The same in one statement that also reads the agent's capacity, for a heartbeat of that session and token. Undefined:
 * it takes more than one statement, and nothing was done.
 */
export async function claimAtOnce(
  sql: Sql,
  {
    workspaceId,
    sessionId,
    tokenId,
    leaseSeconds,
    guards = {},
  }: Omit<Claim, 'capacity'> & { tokenId: string },
): Promise<Leased[] | undefined> {
  const values = [workspaceId, sessionId, tokenId, leaseSeconds, MAX_AT_ONCE, Object.keys(guards)];
  const { rows } = await sql.query<LeasedRow & { slow: boolean }>(CLAIM_AT_ONCE, values, { prepared: true });
  if (rows.some(({ slow }) => slow)) return undefined;
  return inOrder(rows.map(({ slow: _, ...row }) => row));
}

const CLAIM_AT_ONCE = `SELECT * FROM a2a_hand_out($1::uuid, $2, $3::uuid, $4::float8, $5::int, $6::text[])`;

const inOrder = (rows: LeasedRow[]): Leased[] =>
  rows.sort(byUrgency).map(({ enqueued_at, kind, ...row }) => row);

const byUrgency = (a: LeasedRow, b: LeasedRow): number =>
  b.priority - a.priority || a.enqueued_at.getTime() - b.enqueued_at.getTime() || (a.id < b.id ? -1 : 1);

/**
 * Leases nothing while a lease of this workspace is overdue, unless those are settled: the older message comes first.
 */
async function leaseDue(
  sql: Sql,
  { workspaceId, sessionId, leaseSeconds }: Claim,
  { room, settled }: { room: number; settled: boolean },
): Promise<LeasedRow[]> {
  const values = [workspaceId, sessionId, room, leaseSeconds, settled];
  const { rows } = await sql.query<LeasedRow>(LEASE_DUE, values, { prepared: true });
  return rows;
}

const LEASE_DUE = `${LEASE}
  WHERE id = ANY(ARRAY(
    SELECT id FROM a2a_queue WHERE workspace_id = $1::uuid AND status = 'queued'
      AND (expires_at IS NULL OR expires_at > now()) AND (next_attempt_at IS NULL OR next_attempt_at <= now())
      AND ($5::boolean OR NOT EXISTS (SELECT FROM a2a_queue
        WHERE workspace_id = $1::uuid AND status = 'dispatched' AND lease_until <= now()))
    ORDER BY priority DESC, enqueued_at, id LIMIT $3::int FOR UPDATE SKIP LOCKED))
  RETURNING ${LEASED_COLUMNS}`;

/** Asks the guards. We hold the lease while they decide, so no one else decides about the same message. */
async function withoutUnwanted(
  sql: Sql,
  rows: LeasedRow[],
  { workspaceId, guards }: Claim,
): Promise<LeasedRow[]> {
  if (!guards) return rows;
  const kept: LeasedRow[] = [];
  for (const row of rows) {
    const guard = row.kind === null ? undefined : guards[row.kind];
    const reason = await guard?.(sql, { id: row.id, workspaceId });
    if (reason === undefined) kept.push(row);
    else await dropUnsent(sql, row, reason);
  }
  return kept;
}

async function dropUnsent(sql: Sql, { id, attempt }: LeasedRow, reason: string): Promise<void> {
  await sql.query(
    `UPDATE a2a_queue SET status = 'dropped', completed_at = now(), lease_until = NULL, claimed_by = NULL, last_error = $3
      WHERE id = $1::uuid AND attempts = $2::int AND status = 'dispatched'`,
    [id, attempt, reason],
  );
}
