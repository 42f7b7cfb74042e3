import { REMINDER_MODES, reminderWords } from '../../domain/tables.ts';
import type { Reminder } from '../../wire/index.ts';
import { lengthInWords } from '../model/clock.ts';

/** How often, in words; a schedule with its zone. */
export function cadence(reminder: Reminder): string {
  const { mode, interval_seconds, cron, time_zone } = reminder;
  const { repeats, words } = REMINDER_MODES[mode];
  const often = cron
    ? `on the schedule ${cron} (${time_zone ?? 'UTC'})`
    : interval_seconds
      ? `every ${lengthInWords(interval_seconds * 1000)}`
      : 'repeats';
  return [repeats ? often : words, ...reminderWords(reminder)].join(', ');
}

/** What keeps it from being delivered, in words; undefined if nothing does. */
export function blockedBy(reminder: Reminder, all: readonly Reminder[]): string | undefined {
  const { blocked_by_reminder_id: id, waiting_reason, paused } = reminder;
  const leader = id === null ? undefined : all.find(({ reminder_id }) => reminder_id === id);
  if (leader?.paused)
    return `blocked for good: “${leader.title}” comes first and is paused. Resume it, or move this one above it`;
  if (leader) return `after “${leader.title}”`;
  if (paused) return undefined;
  return waiting_reason ? `due, but waits: ${waiting_reason}` : undefined;
}

/** The ids with one of them moved by one place; undefined at the end of the list. */
export function moved(ids: readonly string[], id: string, by: 1 | -1): string[] | undefined {
  const from = ids.indexOf(id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= ids.length) return undefined;
  const next = ids.filter((each) => each !== id);
  next.splice(to, 0, id);
  return next;
}
