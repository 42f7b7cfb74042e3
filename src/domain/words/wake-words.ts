import { reasonInWords } from './reasons.ts';
import { dayAndTime, duration } from './time-words.ts';

/** Of a decision about waking, what its words are made from. */
interface WakeDecision {
  outcome: 'empty' | 'dedup_skip' | 'busy_skip' | 'enqueued' | 'poll_error';
  detail: string | null;
  unread_count: number | null;
  enqueued_request_id: string | null;
  facts: Record<string, unknown> | null;
}

/** Of the request that a decision made. */
interface WakeRequest {
  outcome: string | null;
  state: string;
  waiting_reason: string | null;
  error_detail: string | null;
  accepted_at_utc: string;
  finished_at_utc: string | null;
  ledger?: readonly { stage: string }[] | undefined;
}

/** What became of a look, in one line. */
export function headline(decision: WakeDecision, request: WakeRequest | undefined): string {
  const { outcome, detail } = decision;
  switch (outcome) {
    case 'enqueued':
      return wakeLine(decision, request);
    case 'empty':
      return 'not woken: there was no open mail';
    case 'dedup_skip':
      return `not woken: ${(detail ?? '').replace(/^(repeat|paused_loop): /, '')}`;
    case 'busy_skip':
      return `not woken: ${reasonInWords(detail ?? '')}`;
    case 'poll_error':
      return `not woken: the mailbox could not be read: ${detail}`;
  }
}

function count(messages: number | null): string {
  return messages === 1 ? '1 open message' : `${messages ?? '?'} open messages`;
}

/** "Woken" is said of what the tool took; before that a wake is only accepted, and what is not typed wakes nobody. */
function wakeLine({ unread_count, enqueued_request_id }: WakeDecision, request?: WakeRequest): string {
  const name = `request ${enqueued_request_id}`;
  const accepted = `a wake for ${count(unread_count)} was accepted`;
  if (!request) return `${accepted}: ${name}, of which nothing more is kept`;
  const { outcome, state, waiting_reason: reason, error_detail } = request;
  const has = (wanted: string): boolean => (request.ledger ?? []).some(({ stage }) => stage === wanted);
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

/** When the agent is looked at again after this decision, and what for. */
export function nextLook(decision: WakeDecision, lookAgainUtc: string | null): string {
  const { outcome, detail, facts } = decision;
  const interval = duration(Number(facts?.['interval_seconds'] ?? 0) * 1000);
  const safety = facts ? `, and every ${interval} in any case` : '';
  switch (outcome) {
    case 'enqueued':
      return facts?.['repeat'] === 'every_poll'
        ? `checked again when new mail arrives; what stays open is announced again after ${interval}`
        : 'checked again when new mail arrives, or when its repeat policy says so';
    case 'empty':
      return 'checked again when mail arrives';
    case 'dedup_skip':
      if (detail?.startsWith('paused_loop'))
        return 'checked again when a person writes into the thread, it is resumed ("rouse agents gateway mail-notifier resume"), or other mail arrives';
      return lookAgainUtc
        ? `announced again at ${dayAndTime(lookAgainUtc)} if it is still open; sooner when new mail arrives`
        : `checked again when new mail arrives${safety}`;
    case 'busy_skip':
      return isAnnounced(decision) && lookAgainUtc === null
        ? `all of it was announced before, so it waits for the next interval (${interval}), or for its turn when others wait too`
        : `checked again ${busyUntil(detail ?? '', lookAgainUtc)}${safety}`;
    case 'poll_error':
      return 'checked again at growing intervals until the mailbox answers';
  }
}

/** What the agent knows of waits for the interval, also when the agent becomes ready before; a back-off asks by itself. */
function isAnnounced({ facts }: WakeDecision): boolean {
  return facts !== null && facts['unannounced_count'] === 0 && facts['repeat'] !== 'backoff';
}

function busyUntil(detail: string, lookAgainUtc: string | null): string {
  const at = lookAgainUtc ? `, at ${dayAndTime(lookAgainUtc)}` : '';
  if (detail.startsWith('wake_budget')) return `when enough wakes of the last hour are an hour old${at}`;
  if (at) return `when the quiet hours end${at}`;
  return detail.startsWith('request_admission')
    ? 'when the gateway is free and the agent is ready'
    : 'when the agent becomes ready';
}
