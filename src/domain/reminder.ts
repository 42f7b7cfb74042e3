import type { FieldProblem } from './field-problem.ts';
import { END_OF_TIME_MS, parseUtcTime } from './utc-time.ts';

export const REMINDER_MODES = ['one_off', 'repeat'] as const;
export type ReminderMode = (typeof REMINDER_MODES)[number];

export const SELECTION_STATES = ['effective', 'blocked'] as const;
export const DELIVERY_STATES = ['scheduled', 'overdue', 'executing'] as const;
export const DELIVERY_KINDS = ['prompt', 'send_keys'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

export interface ReminderDefinition {
  mode: ReminderMode;
  title: string;
  prompt?: string | null | undefined;
  send_keys?: { sequence: string; ensure_enter: boolean } | null | undefined;
  ranking: number;
  paused: boolean;
  start_after_seconds?: number | null | undefined;
  deliver_at_utc?: string | null | undefined;
  interval_seconds?: number | null | undefined;
}

/** The rules between the fields of a definition. What each field alone must be is the schema's business. */
export function reminderProblems(
  definition: Pick<
    ReminderDefinition,
    'mode' | 'prompt' | 'send_keys' | 'start_after_seconds' | 'deliver_at_utc' | 'interval_seconds'
  >,
): FieldProblem[] {
  const { mode, prompt, send_keys, start_after_seconds, deliver_at_utc, interval_seconds } = definition;
  const problems: FieldProblem[] = [];
  if ((prompt == null) === (send_keys == null)) {
    problems.push({ path: ['prompt'], message: 'set exactly one of prompt or send_keys' });
  }
  if ((start_after_seconds == null) === (deliver_at_utc == null)) {
    problems.push({
      path: ['start_after_seconds'],
      message: 'set exactly one of start_after_seconds or deliver_at_utc',
    });
  }
  if (mode === 'repeat' && interval_seconds == null) {
    problems.push({ path: ['interval_seconds'], message: 'repeat reminders require interval_seconds' });
  }
  if (mode === 'one_off' && interval_seconds != null) {
    problems.push({
      path: ['interval_seconds'],
      message: 'one_off reminders must not include interval_seconds',
    });
  }
  return problems;
}

/** What is wrong with a number of seconds, or undefined. Fractions of any size are fine. */
export function secondsProblem(value: number): string | undefined {
  if (!Number.isFinite(value)) return 'must be finite';
  return value > 0 ? undefined : 'must be > 0';
}

/**
 * When a definition is first due, in wall milliseconds. A relative delay counts from `nowMs`, the moment of
 * create or update. A delay longer than the calendar ends at its last instant instead of overflowing.
 */
export function firstDueMs(
  definition: Pick<ReminderDefinition, 'start_after_seconds' | 'deliver_at_utc'>,
  nowMs: number,
): number {
  const { start_after_seconds: delay, deliver_at_utc: at } = definition;
  const due = at != null ? parseUtcTime(at) : Math.ceil(nowMs + (delay ?? 0) * 1000);
  return Math.min(due ?? nowMs, END_OF_TIME_MS);
}
