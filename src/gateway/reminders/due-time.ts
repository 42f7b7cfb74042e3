import type { Clock } from '../../base/index.ts';
import {
  END_OF_TIME_MS,
  nextCronMs,
  nextDueMs,
  parseUtcTime,
  type ReminderDefinition,
} from '../../domain/index.ts';

/**
 * When something is due. A time of day that a person named lives on the wall clock; a delay or an interval lives on the
 * monotonic clock, where no correction can stretch or shorten it.
 */
export interface DueTime {
  on: 'wall' | 'monotonic';
  at: number;
}

export function remainingMs(due: DueTime, clock: Clock): number {
  return due.at - (due.on === 'wall' ? clock.now().getTime() : clock.monotonic());
}

/** The due time as a stamp, whichever clock it lives on. */
export function dueAtMs(due: DueTime, clock: Clock): number {
  const at = due.on === 'wall' ? due.at : clock.now().getTime() + (due.at - clock.monotonic());
  return Math.min(Math.max(0, Math.round(at)), END_OF_TIME_MS);
}

export function firstDue(definition: ReminderDefinition, clock: Clock): DueTime {
  const now = clock.now().getTime();
  if (definition.cron) return cronDue(definition, now);
  if (definition.deliver_at_utc != null) {
    return { on: 'wall', at: Math.min(parseUtcTime(definition.deliver_at_utc) ?? now, END_OF_TIME_MS) };
  }
  const delay = Math.min((definition.start_after_seconds ?? 0) * 1000, END_OF_TIME_MS);
  return { on: 'monotonic', at: clock.monotonic() + delay };
}

/** The due time after a delivery that ended now. Slots that passed meanwhile are skipped. */
export function followingDue(definition: ReminderDefinition, anchor: DueTime, clock: Clock): DueTime {
  if (definition.cron) return cronDue(definition, clock.now().getTime());
  const anchorMs = onMonotonic(anchor, clock);
  const finishedMs = Math.max(clock.monotonic(), anchorMs);
  const at = nextDueMs({ anchorMs, intervalSeconds: definition.interval_seconds ?? 0, finishedMs });
  return { on: 'monotonic', at };
}

function cronDue({ cron, time_zone }: ReminderDefinition, afterMs: number): DueTime {
  return { on: 'wall', at: nextCronMs(cron!, time_zone ?? 'UTC', afterMs) ?? END_OF_TIME_MS };
}

/** An anchor named on the wall clock, where it stands on the monotonic one now. */
export function onMonotonic(due: DueTime, clock: Clock): number {
  return clock.monotonic() + remainingMs(due, clock);
}
