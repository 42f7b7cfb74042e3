import type { Clock, Log } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { HeartbeatAnswer, HeartbeatBody } from '../../wire/index.ts';
import type { Leased } from '../delivery/index.ts';
import type { AgentIdentity } from '../identity/index.ts';
import type { Arrivals } from './arrivals.ts';
import { type BeatOptions, handOutLater } from './hand-out.ts';
import { type Beat, beat } from './heartbeat.ts';
import { findWorkspace } from './workspace.ts';

export interface HeldBeatDependencies extends BeatOptions {
  sql: Sql;
  clock: Clock;
  arrivals: Arrivals;
  /** Aborted when the server stops: held answers go out at once. */
  stopping: AbortSignal;
  log: Log;
}

/** How often an agent beats when its beats are not held. Liveness allows for five missed ones. */
export const HEARTBEAT_SECONDS = 30;

/**
 * A heartbeat whose answer waits for a message, up to `wait_seconds`. Nothing is claimed for a caller that is gone: what
 * was handed out to nobody would be locked until its lease ends.
 */
export async function heldBeat(
  on: HeldBeatDependencies,
  caller: AgentIdentity,
  body: HeartbeatBody,
  gone: AbortSignal,
): Promise<HeartbeatAnswer> {
  const { sql, clock, arrivals, stopping } = on;
  const deadline = clock.monotonic() + body.wait_seconds * 1000;
  const expected = arrivals.expect(caller.workspaceId);
  try {
    const first = await beat(sql, caller, body, on);
    if (first.before !== first.status) tellChange(on.log, first);
    const holder = { ...caller, sessionId: body.session_id };
    const hold = body.wait_seconds > 0 && mayGetMessages(first, body);
    let { messages } = first;
    const over = AbortSignal.any([gone, stopping]);
    if (hold && first.status === 'paused') await untilResumed();
    else
      while (hold && messages.length === 0 && (await expected.next(deadline - clock.monotonic(), over))) {
        messages = await handOutLater(sql, holder, on);
      }
    return {
      status: 'ok',
      workspace_id: first.workspaceId,
      workspace_status: first.status,
      messages: messages.map(onTheWire),
      next_heartbeat_seconds: stopping.aborted ? 1 : hold || messages.length > 0 ? 0 : HEARTBEAT_SECONDS,
    };
  } finally {
    expected.end();
  }

  /** The answer goes out with the resume: the beat after it makes the agent online, and gets what waits. */
  async function untilResumed(): Promise<void> {
    const over = AbortSignal.any([gone, stopping]);
    while (await expected.next(deadline - clock.monotonic(), over)) {
      const workspace = await findWorkspace(sql, caller.workspaceId);
      if (workspace?.status !== 'paused') return;
    }
  }
}

function tellChange(log: Log, { workspaceId, before, status }: Beat): void {
  log.info('agent changed', { workspace: workspaceId, from: before, to: status });
}

function mayGetMessages({ status }: Beat, { accepting, leaving }: HeartbeatBody): boolean {
  return accepting && !leaving && (status === 'online' || status === 'degraded' || status === 'paused');
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
