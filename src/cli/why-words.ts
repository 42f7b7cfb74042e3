import type { NotifierDecision, RequestView } from '../wire/index.ts';
import { dayAndTime, duration } from './gateway-time-words.ts';
import { reasonInWords } from './why-reasons.ts';

/** What became of a look, in one line. */
export function headline(decision: NotifierDecision, request: RequestView | undefined): string {
  const { outcome, detail, unread_count } = decision;
  switch (outcome) {
    case 'enqueued':
      return `woken for ${count(unread_count)}: request ${decision.enqueued_request_id} ${fate(request)}`;
    case 'empty':
      return 'not woken: there was no open mail';
    case 'dedup_skip':
      return `not woken: ${(detail ?? '').replace(/^repeat: /, '')}`;
    case 'busy_skip':
      return `not woken: ${reasonInWords(detail ?? '')}`;
    case 'poll_error':
      return `not woken: the mailbox could not be read: ${detail}`;
  }
}

function count(messages: number | null): string {
  return messages === 1 ? '1 open message' : `${messages ?? '?'} open messages`;
}

function fate(request: RequestView | undefined): string {
  if (!request) return 'is no longer kept';
  const { outcome, accepted_at_utc, finished_at_utc, waiting_reason, state, error_detail } = request;
  if (outcome === null || finished_at_utc === null) {
    return waiting_reason ? `is ${state}, waits: ${waiting_reason}` : `is ${state}`;
  }
  const took = duration(Math.max(0, Date.parse(finished_at_utc) - Date.parse(accepted_at_utc)));
  return outcome === 'submitted' ? `was submitted after ${took}` : `ended as ${outcome}: ${error_detail}`;
}

/** When the agent is looked at again after this decision, and what for. */
export function nextLook(decision: NotifierDecision, lookAgainUtc: string | null): string {
  const { outcome, detail, facts } = decision;
  const interval = duration(Number(facts?.['interval_seconds'] ?? 0) * 1000);
  const safety = facts ? `, and every ${interval} in any case` : '';
  switch (outcome) {
    case 'enqueued':
      return facts?.['repeat'] === 'every_poll'
        ? `looked again when new mail arrives; what stays open is announced again after ${interval}`
        : 'looked again when new mail arrives, or when its repeat policy says so';
    case 'empty':
      return 'looked again when mail arrives';
    case 'dedup_skip':
      return lookAgainUtc
        ? `announced again at ${dayAndTime(lookAgainUtc)} if it is still open; sooner when new mail arrives`
        : `looked again when new mail arrives${safety}`;
    case 'busy_skip':
      return `looked again ${busyUntil(detail ?? '', lookAgainUtc)}${safety}`;
    case 'poll_error':
      return 'looked again with growing pauses until the mailbox answers';
  }
}

function busyUntil(detail: string, lookAgainUtc: string | null): string {
  const at = lookAgainUtc ? `, at ${dayAndTime(lookAgainUtc)}` : '';
  if (detail.startsWith('wake_budget')) return `when enough wakes of the last hour are an hour old${at}`;
  if (at) return `when the quiet hours end${at}`;
  return detail.startsWith('request_admission')
    ? 'when the gateway is free and the agent is ready'
    : 'when the agent becomes ready';
}
