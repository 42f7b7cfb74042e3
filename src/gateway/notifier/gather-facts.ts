import { type Clock, utcStamp } from '../../base/index.ts';
import { type AgentPause, reasonTexts } from '../../domain/index.ts';
import type { AgentSurface } from '../../terminal/index.ts';
import type { Presence } from '../presence/index.ts';
import type { Turns } from '../turns/index.ts';
import type { Trigger, WakeFacts } from './decide-wake.ts';
import type { EligibleMail, Unannounced } from './eligible-mail.ts';
import type { PausedThread } from './loops/find-loops.ts';
import type { NotifierRecord } from './notifier-store.ts';
import type { RecentWakes } from './recent-wakes.ts';

interface FactSources {
  presence: Presence;
  surface: AgentSurface;
  turns: Turns;
  wakes: RecentWakes;
  unannounced: Unannounced;
  /** A person's pause of the agent. */
  hold: { now(): AgentPause | undefined };
  clock: Clock;
}

const MAX_LOOPS_STORED = 10;
const named = ({ thread_ref, automatic_replies }: PausedThread) => ({ thread_ref, automatic_replies });

/** Gathers everything a decision is based on, as it is now. */
export function gatherFacts(
  { presence, surface, turns, wakes, unannounced, hold, clock }: FactSources,
  trigger: Trigger,
  record: NotifierRecord,
  found: EligibleMail,
): WakeFacts {
  const status = presence.status();
  const { request_admission, active_execution, queue_depth, last_turn } = status;
  const epoch = status.managed_agent_instance_epoch;
  const { ready, reasons, busy } = surface.observation();
  const used = wakes.inLastHour;
  const budget = record.wakes_per_hour;
  const first = turns.before('mail');
  const paused = hold.now();
  return {
    now_utc: utcStamp(clock.now()),
    trigger,
    mode: record.mode,
    repeat: record.repeat,
    interval_seconds: record.interval_seconds ?? 0,
    eligible_count: found.refs.length,
    digest: found.digest,
    epoch,
    unannounced_count: unannounced.count(found, epoch),
    ...(found.paused.length > 0 && { paused_loops: found.paused.slice(0, MAX_LOOPS_STORED).map(named) }),
    last_notified_digest: record.last_notified_digest,
    last_notification_at_utc: wakes.lastUtc,
    repeats: record.repeats,
    wakes_last_hour: used,
    wakes_per_hour: budget,
    ...(budget !== null && used >= budget && { budget_free_at_utc: wakes.freeAtUtc(budget) }),
    quiet_hours: record.quiet_hours,
    ...(paused && { paused: { until_utc: paused.until_utc } }),
    ...(first && { goes_first: first }),
    request_admission,
    active_execution,
    queue_depth,
    ready,
    ...(busy && { agent_busy: true as const }),
    reasons: reasonTexts(reasons),
    ...((!ready || active_execution !== 'idle') && last_turn && { last_turn }),
  };
}
