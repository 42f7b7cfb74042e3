import type { Sql } from '../../db/index.ts';

export interface Claim {
  workspaceId: string;
  /** The session whose gateway takes the messages, as it registered. */
  sessionId: string;
  /** How many messages at most. */
  capacity: number;
  leaseSeconds: number;
  guards?: DispatchGuards;
}

/** A message in the hands of a session until its lease runs out. `attempt` is the fence of the acknowledgement. */
export interface Leased {
  id: string;
  attempt: number;
  method: string | null;
  body: unknown;
  priority: number;
  expires_at: Date | null;
  idempotency_key: string | null;
}

/**
 * Asked by kind, just before a message is handed out for the first time: a reason why it is no longer wanted, or
 * undefined. It has not been delivered then, and never will be.
 */
export type DispatchGuards = Readonly<
  Record<string, (sql: Sql, message: { id: string; workspaceId: string }) => Promise<string | undefined>>
>;

type Row = Leased & { enqueued_at: Date; kind: string | null; again: boolean };

/**
 * Hands out what is due, the most urgent first and the oldest of those. Nothing to hand out writes nothing. A lease that
 * ran out under this session is given again, since its gateway knows the message by its id; one of another session ends
 * as `failed`, because whether that one took it is unknown and sending twice is worse than saying so.
 */
export async function claim(sql: Sql, wanted: Claim): Promise<Leased[]> {
  const leased: Row[] = [];
  for (let room = Math.min(wanted.capacity, MOST); room > 0; ) {
    const { rows } = await sql.query<Row>(CLAIM, [
      wanted.workspaceId,
      wanted.sessionId,
      room,
      wanted.leaseSeconds,
    ]);
    const kept = await withoutUnwanted(sql, rows, wanted);
    leased.push(...kept);
    // What was dropped left room for others.
    room = rows.length - kept.length;
  }
  return leased.sort(byUrgency).map(({ enqueued_at, kind, again, ...row }) => row);
}

const MOST = 100;

const byUrgency = (a: Row, b: Row): number =>
  b.priority - a.priority || a.enqueued_at.getTime() - b.enqueued_at.getTime() || (a.id < b.id ? -1 : 1);

/** Every part looks at rows of its own status, so that none sees what another changes. */
const CLAIM = `
  WITH ended AS (
    SELECT id, claimed_by = $2 AND attempts < max_attempts AND (expires_at IS NULL OR expires_at > now()) AS again,
        CASE WHEN claimed_by <> $2 THEN 'it was given to another session, which did not answer'
             WHEN attempts >= max_attempts THEN 'it was given out ' || attempts || ' times without an answer'
             ELSE 'it expired while it was given out' END AS reason
      FROM a2a_queue WHERE workspace_id = $1::uuid AND status = 'dispatched' AND lease_until <= now()
      ORDER BY lease_until LIMIT ${MOST} FOR UPDATE SKIP LOCKED),
  given_up AS (
    UPDATE a2a_queue q SET status = 'failed', completed_at = now(),
        last_error = ended.reason || '; whether it was delivered is unknown'
      FROM ended WHERE NOT ended.again AND q.id = ended.id),
  expired AS (
    UPDATE a2a_queue SET status = 'dropped', completed_at = now(), last_error = 'expired before it was sent'
      WHERE id = ANY(ARRAY(SELECT id FROM a2a_queue WHERE workspace_id = $1::uuid AND status = 'queued'
        AND expires_at <= now() LIMIT ${MOST} FOR UPDATE SKIP LOCKED))),
  again AS (SELECT id FROM ended WHERE again LIMIT $3::int),
  due AS (
    SELECT id FROM a2a_queue WHERE workspace_id = $1::uuid AND status = 'queued'
        AND (expires_at IS NULL OR expires_at > now()) AND (next_attempt_at IS NULL OR next_attempt_at <= now())
      ORDER BY priority DESC, enqueued_at, id
      LIMIT greatest(0, $3::int - (SELECT count(*) FROM again)) FOR UPDATE SKIP LOCKED)
  UPDATE a2a_queue SET status = 'dispatched', dispatched_at = now(), attempts = attempts + 1, claimed_by = $2,
      lease_until = now() + make_interval(secs => $4::float8), next_attempt_at = NULL
    WHERE id = ANY(ARRAY(SELECT id FROM again UNION ALL SELECT id FROM due))
    RETURNING id, attempts AS attempt, method, body, priority, enqueued_at, expires_at, idempotency_key, kind,
      id = ANY(ARRAY(SELECT id FROM again)) AS again`;

/** Asks the guards; we hold the lease meanwhile, so that nobody else decides about the same message. */
async function withoutUnwanted(sql: Sql, rows: Row[], { workspaceId, guards }: Claim): Promise<Row[]> {
  if (!guards) return rows;
  const kept: Row[] = [];
  for (const row of rows) {
    const guard = row.again || row.kind === null ? undefined : guards[row.kind];
    const reason = await guard?.(sql, { id: row.id, workspaceId });
    if (reason === undefined) kept.push(row);
    else await dropUnsent(sql, row, reason);
  }
  return kept;
}

async function dropUnsent(sql: Sql, { id, attempt }: Row, reason: string): Promise<void> {
  await sql.query(
    `UPDATE a2a_queue SET status = 'dropped', completed_at = now(), lease_until = NULL, claimed_by = NULL, last_error = $3
      WHERE id = $1::uuid AND attempts = $2::int AND status = 'dispatched'`,
    [id, attempt, reason],
  );
}
