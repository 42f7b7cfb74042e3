import { conflict, crashPoint } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { HandedCall, HeartbeatBody, WorkspaceStatus } from '../../wire/index.ts';
import { takeCalls } from '../calls/index.ts';
import { acknowledgeAll, type Leased, recordOutcome, recordTurn } from '../delivery/index.ts';
import type { AgentIdentity } from '../identity/index.ts';
import { type BeatOptions, handOut, handOutLater } from './hand-out.ts';

export interface Beat {
  workspaceId: string;
  before: WorkspaceStatus;
  status: WorkspaceStatus;
  messages: Leased[];
  calls: HandedCall[];
  acks: { acknowledged: number; late: number; outcomes_recorded: number };
}

interface Row {
  before: WorkspaceStatus;
  status: WorkspaceStatus;
  /** Something may be given out. */
  waiting: boolean;
  /** Somebody elsewhere asks something of it. */
  called: boolean;
}

/**
 * One heartbeat: how the agent is, what it did with earlier messages, what it gets next. The status is changed on the row
 * as it is locked, so that a pause or a removal at the same moment is kept. What was told is one transaction with the
 * rest; a beat that tells nothing, of an agent for which nothing waits, is one statement, since most beats are such.
 */
export async function beat(
  sql: Sql,
  caller: AgentIdentity,
  body: HeartbeatBody,
  options: BeatOptions,
): Promise<Beat> {
  const { workspaceId } = caller;
  const holder = { workspaceId, sessionId: body.session_id };
  const next = (tx: Sql, waiting: boolean) => (waiting && !body.leaving ? handOut(tx, holder, options) : []);
  const asked = (tx: Sql, called: boolean) =>
    called && body.takes_calls && !body.leaving ? takeCalls(tx, holder) : [];
  if (body.acks.length + body.outcomes.length + body.turns.length === 0) {
    const { waiting, called, ...row } = await record(sql, caller, body);
    const later = { ...holder, tokenId: caller.tokenId };
    const messages = waiting && !body.leaving ? await handOutLater(sql, later, options) : [];
    const calls = await asked(sql, called);
    crashPoint('fleet.beat');
    return { workspaceId, ...row, messages, calls, acks: { acknowledged: 0, late: 0, outcomes_recorded: 0 } };
  }
  return sql.transaction(async (tx) => {
    const { waiting, called, ...row } = await record(tx, caller, body);
    const acks = await settle(tx, holder, body);
    const messages = await next(tx, waiting);
    const calls = await asked(tx, called);
    crashPoint('fleet.beat');
    return { workspaceId, ...row, messages, calls, acks };
  });
}

async function record(sql: Sql, caller: AgentIdentity, body: HeartbeatBody): Promise<Row> {
  const values = [
    caller.workspaceId,
    body.session_id,
    body.instance_id ?? null,
    body.beat,
    body.active_tasks,
    body.accepting,
    body.current_task ?? null,
    body.error_rate,
    body.sample_error ?? null,
    body.uptime_seconds ?? null,
    body.runtime_state === 'wedged',
    body.leaving,
    body.state ?? null,
    body.host ?? null,
    body.host_id ?? null,
    body.version ?? null,
  ];
  const { rows } = await sql.query<Row>(BEAT, values, { prepared: true });
  if (!rows[0]) throw olderSession();
  return rows[0];
}

/** What the gateway says of messages it was given. */
export async function settle(
  sql: Sql,
  holder: { workspaceId: string; sessionId: string },
  { acks, outcomes, turns }: Pick<HeartbeatBody, 'acks' | 'outcomes' | 'turns'>,
): Promise<Beat['acks']> {
  const settled = await acknowledgeAll(
    sql,
    holder,
    acks.map(({ request_id, ...ack }) => ({ ...ack, requestId: request_id ?? null })),
  );
  let recorded = 0;
  for (const { id, request_id, outcome, at, turn_follows } of outcomes) {
    const told = { workspaceId: holder.workspaceId, id, requestId: request_id, outcome, at: new Date(at) };
    if (await recordOutcome(sql, { ...told, turnFollows: turn_follows })) recorded++;
  }
  for (const turn of turns) await recordTurn(sql, holder.workspaceId, turn);
  const late = settled.filter(({ result }) => result === 'stale').length;
  return { acknowledged: settled.length - late, late, outcomes_recorded: recorded };
}

export function olderSession(): Error {
  return conflict('a newer session of this agent has registered', {
    hint: 'this session is not the one the fleet speaks to; relaunch the agent to take over',
    facts: { cause: 'session_replaced' },
  });
}

/** Bad at half, good again below a tenth: between them it stays what it was. */
const BAD = '($8::real >= 0.5 OR $11::boolean)';
const GOOD = '($8::real < 0.1 AND NOT $11::boolean)';

/**
 * A beat that was overtaken by a later one of the same gateway counts as a sign of life and nothing else. What people
 * or policies set (paused, hibernating, hibernated, removed) no beat changes.
 */
const BEAT = `
  WITH seen AS (
    SELECT id, status AS before, instance_id IS DISTINCT FROM $3 OR $3::text IS NULL OR beat < $4::bigint AS fresh,
        CASE WHEN $12::boolean THEN
               CASE WHEN status IN ('provisioning', 'online', 'degraded', 'awaiting_agent') THEN 'offline' ELSE status END
             WHEN status IN ('provisioning', 'offline', 'failed', 'awaiting_agent') THEN
               CASE WHEN ${BAD} THEN 'degraded' ELSE 'online' END
             WHEN status = 'online' AND ${BAD} THEN 'degraded'
             WHEN status = 'degraded' AND ${GOOD} THEN 'online'
             ELSE status END AS after
      FROM workspaces WHERE id = $1::uuid AND session_id = $2 AND status <> 'removed' FOR UPDATE)
  UPDATE workspaces w SET last_heartbeat_at = now(), left_at = CASE WHEN $12::boolean THEN now() END,
      instance_id = CASE WHEN fresh THEN $3 ELSE instance_id END,
      beat = CASE WHEN fresh THEN $4 ELSE beat END,
      active_tasks = CASE WHEN fresh THEN $5::int ELSE active_tasks END,
      accepting = CASE WHEN fresh THEN $6::boolean ELSE accepting END,
      current_task = CASE WHEN fresh THEN $7 ELSE current_task END,
      error_rate = CASE WHEN fresh THEN $8::real ELSE error_rate END,
      sample_error = CASE WHEN fresh THEN $9 ELSE sample_error END,
      uptime_seconds = CASE WHEN fresh THEN $10::bigint ELSE uptime_seconds END,
      standing = CASE WHEN fresh THEN $13 ELSE standing END,
      standing_changed_at = CASE WHEN fresh AND standing IS DISTINCT FROM $13 THEN now() ELSE standing_changed_at END,
      host = coalesce($14, host), host_id = coalesce($15, host_id), version = coalesce($16, version),
      status = CASE WHEN fresh THEN after ELSE status END,
      status_changed_at = CASE WHEN fresh AND after <> before THEN now() ELSE status_changed_at END
    FROM seen WHERE w.id = seen.id RETURNING seen.before, w.status,
      EXISTS (SELECT FROM a2a_queue q WHERE q.workspace_id = w.id AND q.status = 'queued')
        OR EXISTS (SELECT FROM a2a_queue q WHERE q.workspace_id = w.id AND q.status = 'dispatched'
          AND q.lease_until <= now()) AS waiting,
      EXISTS (SELECT FROM gateway_calls c WHERE c.workspace_id = w.id AND c.taken_at IS NULL) AS called`;
