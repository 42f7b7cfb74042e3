import type { Sql, SqlValue } from '../../db/index.ts';
import {
  codesWith,
  MESSAGE_STATUSES,
  REACHED_OUTCOMES,
  type RequestOutcome,
  sqlIs,
  sqlList,
} from '../../domain/index.ts';

export interface Ack {
  id: string;
  /** Number of the lease; an older one is stale. */
  attempt: number;
  result: 'accepted' | 'refused';
  /** The gateway's own request, if it accepted. */
  requestId?: string | null;
  /** Why it was refused. */
  reason?: string | null;
  /** Refused for good: trying again cannot help. */
  permanent?: boolean;
}

export interface Holder {
  workspaceId: string;
  sessionId: string;
}

/** `repeated`: reported before, nothing changed. `stale`: this session and attempt do not hold the message. */
export type AckResult = { id: string; result: 'recorded' | 'repeated' | 'stale' };

/**
 * Records what the gateway did with the messages it was handed, all in two statements. Accepted: it is in the gateway's
 * durable queue. Refused: the same row goes back, with its key, priority and place, and waits longer each time; after
 * `max_attempts` it is a dead letter.
 */
export async function acknowledgeAll(sql: Sql, holder: Holder, acks: readonly Ack[]): Promise<AckResult[]> {
  const accepted = acks.filter(({ result }) => result === 'accepted');
  const refused = acks.filter(({ result }) => result === 'refused');
  const done = new Set([
    ...(await apply(sql, ACCEPT, holder, accepted)),
    ...(await apply(sql, REFUSE, holder, refused)),
  ]);
  const rest = acks.filter(({ id }) => !done.has(id));
  const repeated = await apply(sql, REPEATED, holder, rest);
  return acks.map(({ id }) => ({
    id,
    result: done.has(id) ? 'recorded' : repeated.has(id) ? 'repeated' : 'stale',
  }));
}

async function apply(
  sql: Sql,
  statement: string,
  { workspaceId, sessionId }: Holder,
  acks: readonly Ack[],
): Promise<Set<string>> {
  if (acks.length === 0) return new Set();
  const values: SqlValue[] = [
    workspaceId,
    sessionId,
    acks.map(({ id }) => id),
    acks.map(({ attempt }) => attempt),
    acks.map(({ requestId, reason }) => requestId ?? reason ?? null),
    acks.map(({ permanent }) => permanent ?? false),
  ];
  const { rows } = await sql.query<{ id: string }>(statement, values, { prepared: true });
  return new Set(rows.map(({ id }) => id));
}

const ACKS =
  'unnest($3::uuid[], $4::int[], $5::text[], $6::boolean[]) AS ack (id, attempt, detail, permanent)';
const MATCHING =
  'q.id = ANY($3::uuid[]) AND q.id = ack.id AND q.workspace_id = $1::uuid AND q.attempts = ack.attempt';

const SENT = codesWith(MESSAGE_STATUSES, 'sent');
const REFUSED = codesWith(MESSAGE_STATUSES, 'refused');

/** A late acknowledgement still settles a message that was given up as unknown. */
const ACCEPT = `
  UPDATE a2a_queue q SET status = 'completed', completed_at = now(), lease_until = NULL, last_error = NULL,
      gateway_request_id = ack.detail
    FROM ${ACKS} WHERE ${MATCHING} AND q.claimed_by = $2
      AND ${sqlIs('q.status', SENT)} AND q.status <> 'completed' RETURNING q.id`;

/** 5 s, doubled each time, at most 10 minutes; times 0.5 to 1.5, so that many do not come back at once. */
const REFUSE = `
  UPDATE a2a_queue q SET
      status = CASE WHEN ack.permanent OR q.attempts >= q.max_attempts THEN 'failed' ELSE 'queued' END,
      completed_at = CASE WHEN ack.permanent OR q.attempts >= q.max_attempts THEN now() END,
      next_attempt_at = CASE WHEN ack.permanent OR q.attempts >= q.max_attempts THEN NULL ELSE
        now() + make_interval(secs => least(600, 5 * 2 ^ (q.attempts - 1)) * (0.5 + random())) END,
      dispatched_at = NULL, lease_until = NULL, claimed_by = NULL,
      last_error = coalesce(ack.detail, 'the gateway refused it')
    FROM ${ACKS} WHERE ${MATCHING} AND q.claimed_by = $2 AND q.status = 'dispatched' RETURNING q.id`;

const REPEATED = `
  SELECT q.id FROM a2a_queue q, ${ACKS} WHERE ${MATCHING}
    AND (q.status = 'completed' AND q.claimed_by = $2 OR ${sqlIs('q.status', REFUSED)} AND q.claimed_by IS NULL)`;

export interface Outcome {
  workspaceId: string;
  id: string;
  requestId: string | null;
  /** How the gateway's request ended. */
  outcome: RequestOutcome;
  at: Date;
  response?: unknown;
  /** The end of the turn is reported later. */
  turnFollows?: boolean;
}

/**
 * Records how a message ended inside the gateway. It proves that the gateway had the message, whatever was assumed
 * before: even if the message is queued again because the gateway refused it after its disk had taken what it could not
 * confirm. Returns false if this workspace was never handed the message, or the same was reported before.
 */
export async function recordOutcome(sql: Sql, report: Outcome): Promise<boolean> {
  const { rowCount } = await sql.query(
    `UPDATE a2a_queue SET status = 'completed', completed_at = coalesce(completed_at, now()), lease_until = NULL,
        gateway_request_id = coalesce($3, gateway_request_id), outcome = $4, outcome_at = $5::timestamptz,
        response_body = coalesce($6::jsonb, response_body),
        turn_state = coalesce(turn_state, CASE WHEN $4 IN ${sqlList(REACHED_OUTCOMES)} THEN
          CASE WHEN $7::boolean THEN 'working' ELSE 'unproven' END END)
      WHERE id = $1::uuid AND workspace_id = $2::uuid
        AND (claimed_by IS NOT NULL AND ${sqlIs('status', SENT)} OR status = 'queued' AND attempts > 0)
        AND (gateway_request_id IS NULL OR $3::text IS NULL OR gateway_request_id = $3)
        AND (outcome_at IS NULL OR outcome_at < $5::timestamptz)`,
    [
      report.id,
      report.workspaceId,
      report.requestId,
      report.outcome,
      report.at,
      report.response === undefined ? null : JSON.stringify(report.response),
      report.turnFollows ?? false,
    ],
    { prepared: true },
  );
  return rowCount === 1;
}
