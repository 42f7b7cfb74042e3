import { type WakeValues, wakeSettings } from '../settings/wake-settings.ts';
import { type DecisionWords, NOTIFIER_OUTCOMES, type NotifierOutcome } from '../words/notifier-outcomes.ts';
import type { RequestOutcome } from '../words/request-outcomes.ts';
import type { RequestStage } from '../words/request-stages.ts';
import type { RequestState } from '../words/request-states.ts';
import { isCodeOf } from '../words/table.ts';
import { REPEAT_POLICIES, WAKE_HOLDS, type WakeHold } from '../words/wake-policies.ts';
import { reasonInWords } from './reason-text.ts';
import { dayAndTime, duration } from './time-words.ts';

/** The parts of a decision about waking that its words are made from. */
interface Decided {
  outcome: NotifierOutcome;
  detail: string | null;
  unread_count: number | null;
  enqueued_request_id: string | null;
  facts: Record<string, unknown> | null;
}

/** When the mail is checked next, derived from the same facts. */
export interface LookAgain {
  /** When time alone may change the decision. */
  look_again_utc: string | null;
  hold: WakeHold | null;
}

/** The request that a decision made. */
interface WakeRequest {
  outcome: RequestOutcome | null;
  state: RequestState;
  waiting_reason: string | null;
  error_detail: string | null;
  accepted_at_utc: string;
  finished_at_utc: string | null;
  ledger?: readonly { stage: RequestStage }[] | undefined;
}

/** The result of a check, in one line. */
export function headline(decision: Decided, request: WakeRequest | undefined): string {
  if (NOTIFIER_OUTCOMES[decision.outcome].wakes) return wakeLine(decision, request);
  return `not woken: ${whyNotWoken(decision, reasonInWords)}`;
}

export function whyNotWoken(decision: Decided, inWords: (reason: string) => string): string {
  return NOTIFIER_OUTCOMES[decision.outcome].why(wordsOf(decision, undefined, inWords));
}

function count(messages: number | null): string {
  return messages === 1 ? '1 open message' : `${messages ?? '?'} open messages`;
}

/** "Woken" means that the tool took the prompt. Until then the wake is only accepted, and an untyped one wakes no agent. */
function wakeLine({ unread_count, enqueued_request_id }: Decided, request?: WakeRequest): string {
  const name = `request ${enqueued_request_id}`;
  const accepted = `a wake for ${count(unread_count)} was accepted`;
  if (!request) return `${accepted}: ${name}, which is no longer stored`;
  const { outcome, state, waiting_reason: reason, error_detail } = request;
  const has = (wanted: RequestStage): boolean => (request.ledger ?? []).some(({ stage }) => stage === wanted);
  if (outcome === 'submitted' || has('submitted'))
    return `woken for ${count(unread_count)}: ${name} was submitted${took(request)}`;
  if (outcome === null && state === 'running') return `${accepted}; being typed now: ${name}`;
  if (outcome === null)
    return `${accepted}; not typed yet: ${name} waits${reason ? `: ${reasonInWords(reason)}` : ''}`;
  const far =
    outcome === 'unconfirmed'
      ? 'typed, but nothing proves that the tool took it'
      : has('typing')
        ? 'typing began, but nothing was submitted'
        : 'not typed';
  return `${accepted}; ${far}: ${name} ended as ${outcome}: ${error_detail}`;
}

function took({ outcome, accepted_at_utc, finished_at_utc, error_detail }: WakeRequest): string {
  if (outcome === null || finished_at_utc === null) return '';
  if (outcome !== 'submitted') return `, and ended as ${outcome}: ${error_detail}`;
  return ` after ${duration(Math.max(0, Date.parse(finished_at_utc) - Date.parse(accepted_at_utc)))}`;
}

/** When the mail is checked again after this decision, and why. */
export function nextLook(decision: Decided, again: LookAgain): string {
  return NOTIFIER_OUTCOMES[decision.outcome].next(wordsOf(decision, again, reasonInWords));
}

function wordsOf(
  { detail, facts }: Decided,
  again: LookAgain | undefined,
  inWords: (reason: string) => string,
): DecisionWords {
  const interval = duration(Number(facts?.['interval_seconds'] ?? 0) * 1000);
  const repeat = facts?.['repeat'];
  const policy = isCodeOf(REPEAT_POLICIES, repeat) ? REPEAT_POLICIES[repeat].again : undefined;
  const hold = again?.hold ?? null;
  return {
    detail: detail ?? '',
    reason: inWords(detail ?? ''),
    interval,
    safety: facts ? `, and every ${interval} in any case` : '',
    // Announced mail waits for the interval even if the agent becomes ready sooner; back-off has its own times.
    announced: facts?.['unannounced_count'] === 0 && policy !== 'growing',
    everyInterval: policy === 'interval',
    hold,
    until: WAKE_HOLDS[hold ?? 'agent'].until,
    again: again?.look_again_utc ? dayAndTime(again.look_again_utc) : null,
  };
}

/** "all open mail; repeats back off from 1 min; at most 30/h" */
export function wakePolicyWords(values: Partial<WakeValues>): string {
  const { interval_seconds: seconds } = values;
  const interval = seconds == null ? 'an unknown interval' : duration(seconds * 1000);
  const words = wakeSettings.map(([name, { words, fallback }]) =>
    words((values[name] ?? fallback) as never, interval),
  );
  return words.filter(Boolean).join('; ');
}
