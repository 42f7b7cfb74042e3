import { NEEDS, type QuietHours, quietUntilMs } from '../../domain/index.ts';
import type { NeedRow } from './need.ts';
import type { SubscriptionSettings } from './subscription.ts';

/** A passing need, such as a prompt that is just being typed, must last at least this long. */
const PASSING_MS = 2000;

/** When a notice may first be sent, in wall milliseconds. */
export function firstDueMs(
  { after_seconds, quiet_hours }: Pick<SubscriptionSettings, 'after_seconds' | 'quiet_hours'>,
  { kind, opened_at_ms }: Pick<NeedRow, 'kind' | 'opened_at_ms'>,
  nowMs: number,
): number {
  const lasting = Math.max(after_seconds * 1000, NEEDS[kind]?.passing ? PASSING_MS : 0);
  return outsideQuiet(quiet_hours, opened_at_ms + lasting, nowMs);
}

/** When it is sent again; null: never. */
export function againDueMs(
  { repeat_seconds, quiet_hours }: Pick<SubscriptionSettings, 'repeat_seconds' | 'quiet_hours'>,
  sentAtMs: number,
  nowMs: number,
): number | null {
  if (repeat_seconds === null) return null;
  return outsideQuiet(quiet_hours, sentAtMs + repeat_seconds * 1000, nowMs);
}

/** `dueMs`, or the end of the quiet hours that it is in. What is overdue is due now. */
function outsideQuiet(quiet: QuietHours | null, dueMs: number, nowMs: number): number {
  const at = Math.max(dueMs, nowMs);
  return (quiet && quietUntilMs(quiet, at)) ?? at;
}

const FIRST_RETRY_MS = 5000;
const MAX_RETRY_MS = 3_600_000;

/** How long to wait after this many failures in a row. */
export function retryAfterMs(failures: number): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(20, failures - 1));
}
