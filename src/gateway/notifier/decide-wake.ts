import {
  type Admission,
  type DecidedOutcome,
  type Execution,
  NOTIFIER_OUTCOMES,
  type NotifierMode,
  pauseText,
  type QuietHours,
  quietUntilMs,
  type RepeatPolicy,
  reason,
  reasonText,
  reasonTexts,
  type WakeHold,
} from '../../domain/index.ts';

/** What caused the look: the interval, a change of the mailbox, an agent that became ready, or the start. */
export type Trigger = 'interval' | 'mail' | 'ready' | 'start';

/** Everything a decision is based on. Stored with it, so that it can be repeated. */
export interface WakeFacts {
  now_utc: string;
  trigger: Trigger;
  mode: NotifierMode;
  repeat: RepeatPolicy;
  interval_seconds: number;
  eligible_count: number;
  digest: string | null;
  /** Which agent process it is about. Missing in facts of older gateways. */
  epoch?: number;
  /** Eligible messages that no wake has announced to this process. */
  unannounced_count: number;
  /** Threads in which agents only reply to each other, at most ten. Missing if there are none. */
  paused_loops?: { thread_ref: string; automatic_replies: number }[];
  last_notified_digest: string | null;
  last_notification_at_utc: string | null;
  /** Consecutive wakes for the same digest. */
  repeats: number;
  wakes_last_hour: number;
  wakes_per_hour: number | null;
  /** When enough of them are an hour old; only while the budget is used up. Missing in facts of older gateways. */
  budget_free_at_utc?: string | null;
  quiet_hours: QuietHours | null;
  /** A person has paused the agent. Missing if not. */
  paused?: { until_utc: string | null };
  /** The waiter that has waited longer for a free moment and can go. Missing in facts of older gateways. */
  goes_first?: string;
  request_admission: Admission;
  active_execution: Execution;
  queue_depth: number;
  ready: boolean;
  /** A turn of the agent is running, also one that the gateway did not begin. Missing in facts of older gateways. */
  agent_busy?: true;
  /** In their stored form. */
  reasons: string[];
  /** The last use of the agent; only while it or the gateway is busy. */
  last_turn?: { source: string; id: string; began_at_utc: string };
  /** Why the user's own prompt is not used; missing if it is. */
  prompt_problem?: string;
}

export interface WakeDecision {
  outcome: DecidedOutcome;
  /** What holds open mail back; null if nothing does. */
  hold: WakeHold | null;
  detail: string | null;
  /** Each rule that was applied, in order, with its result. */
  chain: string[];
  /** When time alone may change the result. */
  look_again_utc: string | null;
}

/** After this many doublings the pause between repeats no longer grows. */
const MAX_DOUBLINGS = 10;

/**
 * The one decision of the notifier. Pure: the same facts give the same result, today and in a replay. A replay also compares
 * the texts of the chain, so they do not change.
 */
export function decideWake(facts: WakeFacts): WakeDecision {
  const chain: string[] = [];
  const end = (
    outcome: DecidedOutcome,
    detail: string | null,
    { hold = null, again = null }: { hold?: WakeHold | null; again?: number | null } = {},
  ): WakeDecision => ({
    outcome,
    hold,
    detail,
    chain: [...chain, `→ ${outcome}`],
    look_again_utc: again === null ? null : new Date(again).toISOString(),
  });

  chain.push(
    `mail: ${facts.eligible_count} eligible in mode ${facts.mode}, ${facts.unannounced_count} not announced yet`,
  );
  const loops = loopWords(facts.paused_loops);
  if (loops) chain.push(loops);
  if (facts.eligible_count === 0)
    return loops ? end('dedup_skip', loops, { hold: 'paused_loop' }) : end('empty', null);

  const repeat = repeatRule(facts);
  chain.push(repeat.text);
  if (!repeat.wake) return end('dedup_skip', repeat.text, { again: repeat.againMs });

  const now = Date.parse(facts.now_utc);
  if (facts.paused) {
    const { until_utc: until } = facts.paused;
    const detail = pauseText(facts.paused);
    chain.push(detail);
    return end('busy_skip', detail, { hold: 'pause', again: until === null ? null : Date.parse(until) });
  }
  const quiet = facts.quiet_hours ? quietUntilMs(facts.quiet_hours, now) : null;
  chain.push(quiet === null ? 'quiet hours: no' : `quiet hours: until ${new Date(quiet).toISOString()}`);
  if (quiet !== null) {
    const detail = `quiet_hours until ${new Date(quiet).toISOString()}`;
    return end('busy_skip', detail, { hold: 'quiet_hours', again: quiet });
  }

  const { wakes_per_hour: budget, wakes_last_hour: used } = facts;
  chain.push(
    budget === null ? 'budget: none set' : `budget: ${used} of ${budget} wakes used in the last hour`,
  );
  if (budget !== null && used >= budget) {
    const free = facts.budget_free_at_utc ? Date.parse(facts.budget_free_at_utc) : null;
    return end('busy_skip', `wake_budget ${used} of ${budget} used`, { hold: 'wake_budget', again: free });
  }

  const gateway = gatewayReasons(facts);
  chain.push(gateway.length === 0 ? 'gateway: free' : `gateway: ${gateway.join(' ')}`);
  chain.push(facts.ready ? 'agent: ready' : `agent: not ready, ${facts.reasons.join(' ')}`);
  if (facts.last_turn) chain.push(lastTurn(facts.last_turn));
  const reasons = [...gateway, ...(facts.ready ? [] : facts.reasons.length ? facts.reasons : ['not ready'])];
  if (reasons.length > 0)
    return end('busy_skip', reasons.join(' '), { hold: gateway.length > 0 ? 'gateway' : 'agent' });
  if (facts.goes_first !== undefined) {
    chain.push(`turn: ${facts.goes_first} waited longer`);
    return end('busy_skip', reasonText(reason('turn', facts.goes_first)), { hold: 'turn' });
  }
  if (facts.prompt_problem !== undefined) chain.push(`prompt: ${facts.prompt_problem}`);
  return end('enqueued', null);
}

/** A text about paused threads, also used without a decision; undefined if there are none. */
export function loopWords(paused: WakeFacts['paused_loops'] = []): string | undefined {
  const [first] = paused;
  if (!first) return undefined;
  const { thread_ref, automatic_replies } = first;
  const more = paused.length > 1 ? `, and ${paused.length - 1} more` : '';
  return `paused_loop: ${automatic_replies} automatic replies without a person in thread ${thread_ref}${more}`;
}

/** Only the agent or the gateway, and no time, delays the wake for this mail. */
export function waitsForTurn({ outcome, look_again_utc }: WakeDecision): boolean {
  return NOTIFIER_OUTCOMES[outcome].waits && look_again_utc === null;
}

const SOURCES: Record<string, (id: string) => string> = {
  queue: (id) => `request ${id}`,
  mail_notifier: (id) => `the wake for mail ${id}`,
  direct_prompt: () => 'a direct prompt',
  reminder: (id) => `reminder ${id}`,
};

function lastTurn({ source, id, began_at_utc }: NonNullable<WakeFacts['last_turn']>): string {
  return `turn: the agent was last given to ${SOURCES[source]?.(id) ?? source}, at ${began_at_utc}`;
}

function gatewayReasons({ request_admission, active_execution, queue_depth }: WakeFacts): string[] {
  if (request_admission === 'open' && active_execution === 'idle' && queue_depth === 0) return [];
  return reasonTexts([
    reason('request_admission', request_admission),
    reason('active_execution', active_execution),
    reason('queue_depth', String(queue_depth)),
  ]);
}

interface RepeatVerdict {
  wake: boolean;
  text: string;
  againMs: number | null;
}

/**
 * An event announces only new mail. Announced mail waits for the interval or its policy, so that the end of a turn does
 * not cause the next prompt.
 */
function repeatRule(facts: WakeFacts): RepeatVerdict {
  const { trigger, repeat } = facts;
  if (facts.unannounced_count > 0) {
    const isNewProcess = facts.epoch !== undefined && facts.last_notified_digest === facts.digest;
    const what = isNewProcess ? 'this process of the agent was not told of all of it' : 'new mail';
    return { wake: true, text: `repeat: ${what}, trigger ${trigger}`, againMs: null };
  }
  const next = rearmMs(facts);
  if (repeat === 'backoff' && next !== null && Date.parse(facts.now_utc) >= next) {
    return { wake: true, text: `repeat: backoff re-armed after ${facts.repeats} wakes`, againMs: null };
  }
  if (trigger === 'interval' && repeat === 'every_poll') {
    return { wake: true, text: 'repeat: every_poll, the interval has passed', againMs: null };
  }
  if (trigger === 'interval' && facts.last_notified_digest !== facts.digest && repeat === 'on_change') {
    return { wake: true, text: 'repeat: on_change, the mail changed', againMs: null };
  }
  const text = `repeat: ${repeat}, all of it was announced`;
  return { wake: false, text, againMs: repeat === 'backoff' ? next : null };
}

/** After the n-th wake for unchanged mail, wait interval × 2ⁿ. */
function rearmMs({ last_notification_at_utc, interval_seconds, repeats }: WakeFacts): number | null {
  if (last_notification_at_utc === null) return null;
  const pause = interval_seconds * 1000 * 2 ** Math.min(repeats, MAX_DOUBLINGS);
  return Date.parse(last_notification_at_utc) + pause;
}
