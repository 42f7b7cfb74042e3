import type { FieldProblem } from '../field-problem.ts';
import type { MissedPolicy, ReminderMode } from '../words/reminders.ts';

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
  /** Instead of an interval: a cron expression in `time_zone`. */
  cron?: string | null | undefined;
  time_zone?: string | null | undefined;
  /** Survives a restart of the gateway; `missed` then decides about due times that passed in between. */
  durable?: boolean | undefined;
  missed?: MissedPolicy | null | undefined;
}

/** The rules between the fields of a definition. The schema checks each field alone. */
export function reminderProblems(
  definition: Omit<ReminderDefinition, 'title' | 'ranking' | 'paused'>,
): FieldProblem[] {
  const { mode, prompt, send_keys, start_after_seconds, deliver_at_utc, interval_seconds, cron } = definition;
  const problems: FieldProblem[] = [];
  const report = (field: string, message: string): void => {
    problems.push({ path: [field], message });
  };
  if ((prompt == null) === (send_keys == null)) report('prompt', 'set exactly one of prompt or send_keys');
  const starts = [start_after_seconds, deliver_at_utc].filter((value) => value != null).length;
  if (cron == null && starts !== 1) {
    report('start_after_seconds', 'set exactly one of start_after_seconds or deliver_at_utc');
  }
  if (cron != null && starts > 0) report('cron', 'decides when to start; leave out the start time');
  if (mode === 'repeat' && interval_seconds == null && cron == null) {
    report('interval_seconds', 'repeat reminders require interval_seconds');
  }
  if (interval_seconds != null && cron != null) report('cron', 'set at most one of interval_seconds or cron');
  if (mode === 'one_off' && interval_seconds != null) {
    report('interval_seconds', 'one_off reminders must not include interval_seconds');
  }
  if (mode === 'one_off' && cron != null) report('cron', 'one_off reminders must not include cron');
  if (definition.time_zone != null && cron == null) report('time_zone', 'is only allowed with cron');
  if (definition.missed != null && !definition.durable)
    report('missed', 'is only allowed with durable: true');
  if (definition.durable && definition.missed == null) {
    report('missed', 'durable reminders need missed: skip or once');
  }
  return problems;
}
