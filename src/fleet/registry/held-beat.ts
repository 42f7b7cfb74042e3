import type { Clock, Log } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { HEARTBEAT, WORKSPACE_STATUSES } from '../../domain/index.ts';
import type { HeartbeatAnswer, HeartbeatBody } from '../../wire/index.ts';
import { takeCalls } from '../calls/index.ts';
import type { Leased } from '../delivery/index.ts';
import type { AgentIdentity } from '../identity/index.ts';
import type { Arrivals } from './arrivals.ts';
import { type BeatOptions, handOutLater } from './hand-out.ts';
import { type Beat, beat } from './heartbeat.ts';
import type { MailVersions, QuietBeats } from './quiet-beats.ts';
import { findWorkspace } from './workspace.ts';

export interface HeldBeatDependencies extends BeatOptions {
  sql: Sql;
  clock: Clock;
  arrivals: Arrivals;
  quiet: QuietBeats;
  /** Aborted when the server stops; held responses are sent at once. */
  stopping: AbortSignal;
  log: Log;
  mailVersions: MailVersions;
}

/**
 * A heartbeat whose response waits for a message, or for mail, up to `wait_seconds`. Nothing is claimed for a caller
 * that is gone: it would be locked until its lease ends.
 */
export async function heldBeat(
  on: HeldBeatDependencies,
  caller: AgentIdentity,
  body: HeartbeatBody,
  { gone, isNeeded = () => false }: { gone: AbortSignal; isNeeded?: () => boolean },
): Promise<HeartbeatAnswer> {
  const { sql, clock, arrivals, stopping } = on;
  const { workspaceId } = caller;
  const deadline = clock.monotonic() + body.wait_seconds * 1000;
  const expected = arrivals.expect(workspaceId);
  try {
    const first = await beat(sql, { caller, body }, on);
    if (first.before !== first.status) logChange(on.log, first);
    logReports(on.log, workspaceId, body);
    const holder = { ...caller, sessionId: body.session_id };
    const { mail_version: known } = body;
    const mailNow = async () => (await on.mailVersions(sql, [workspaceId])).get(workspaceId) ?? '';
    const hold =
      body.wait_seconds > 0 && (mayGetSomething(first, body) || (known !== undefined && !body.leaving));
    let { messages, calls } = first;
    let mail = known === undefined ? undefined : ((await on.quiet.mailVersion(workspaceId)) ?? '');
    const over = AbortSignal.any([gone, stopping]);
    const isNothing = (): boolean => messages.length === 0 && calls.length === 0;
    while (
      hold &&
      isNothing() &&
      mail === known &&
      (await expected.next(deadline - clock.monotonic(), over))
    ) {
      // Respond on resume: the next heartbeat makes the agent online and gets what waits.
      if (first.status === 'paused' && (await isResumed(sql, workspaceId))) break;
      messages = await handOutLater(sql, holder, on);
      // Calls and mail come with the next heartbeat, which follows at once: a message does not wait for them.
      if (messages.length > 0) break;
      if (body.takes_calls) calls = await takeCalls(sql, holder);
      if (known !== undefined) mail = await mailNow();
    }
    for (const { id, attempt } of messages)
      on.log.info('message handed out', { trace_id: id, workspace: workspaceId, attempt });
    return {
      status: 'ok',
      workspace_id: first.workspaceId,
      workspace_status: first.status,
      messages: messages.map(onTheWire),
      calls,
      ...(mail !== undefined && { mail_version: mail }),
      next_heartbeat_seconds: stopping.aborted
        ? 1
        : (hold && !isNeeded()) || !isNothing()
          ? 0
          : HEARTBEAT.unheld,
    };
  } finally {
    expected.end();
  }
}

async function isResumed(sql: Sql, workspaceId: string): Promise<boolean> {
  return (await findWorkspace(sql, workspaceId))?.status !== 'paused';
}

function logChange(log: Log, { workspaceId, before, status }: Beat): void {
  log.info('agent changed', { workspace: workspaceId, from: before, to: status });
}

/** Logs what the gateway reported about messages, by the id under which they were sent. */
function logReports(log: Log, workspace: string, { acks, outcomes, turns }: HeartbeatBody): void {
  for (const { id, result, request_id } of acks)
    log.info(`message ${result}`, { trace_id: id, workspace, request_id });
  for (const { id, outcome, request_id } of outcomes)
    log.info('message ended', { trace_id: id, workspace, request_id, outcome });
  for (const { id, state, request_id } of turns)
    log.info(state === 'finished' ? 'turn ended' : 'turn changed', {
      trace_id: id,
      workspace,
      request_id,
      state,
    });
}

/**
 * An agent that accepts no messages now may still get remote calls; messages are handed out only to one that accepts
 * them.
 */
function mayGetSomething({ status }: Beat, { leaving }: HeartbeatBody): boolean {
  return !leaving && WORKSPACE_STATUSES[status].answers;
}

function onTheWire({ id, attempt, method, body, priority, expires_at, idempotency_key }: Leased) {
  return {
    id,
    attempt,
    method,
    body,
    priority,
    expires_at: expires_at?.toISOString() ?? null,
    idempotency_key,
  };
}
