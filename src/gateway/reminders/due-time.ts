import { type Clock, WALL_CHECK_MS, wallOffset } from '../../base/index.ts';
import { END_OF_TIME_MS, nextDueMs, parseUtcTime, type ReminderDefinition } from '../../domain/index.ts';
import { nextCronMs } from '../../domain/reminder/cron.ts';

/**
 * When something is due. A time of day that a person named lives on the wall clock; a delay or an interval lives on the
 * monotonic clock, where no correction can stretch or shorten it.
 */
export interface DueTime {
  on: 'wall' | 'monotonic';
  at: number;
  /** For a cron slot: the difference of the wall clock and the monotonic clock when it was looked up. */
  offset?: number;
}

export function remainingMs(due: DueTime, clock: Clock): number {
  return due.at - (due.on === 'wall' ? clock.now().getTime() : clock.monotonic());
}

/** A clock that is only read. */
type ClockReading = Pick<Clock, 'now' | 'monotonic'>;

/** Freezes both clocks at one instant, so that equal times stay equal however long the computation takes. */
export function atOneInstant(clock: ClockReading): ClockReading {
  const [now, monotonic] = [clock.now(), clock.monotonic()];
  return { now: () => now, monotonic: () => monotonic };
}

/** The due time as a stamp, whichever clock it lives on. */
export function dueAtMs(due: DueTime, clock: ClockReading): number {
  const at = due.on === 'wall' ? due.at : clock.now().getTime() + (due.at - clock.monotonic());
  return Math.min(Math.max(0, Math.round(at)), END_OF_TIME_MS);
}

export function firstDue(definition: ReminderDefinition, clock: Clock): DueTime {
  const now = clock.now().getTime();
  if (definition.cron) return cronDue(definition, clock);
  if (definition.deliver_at_utc != null) {
    return { on: 'wall', at: Math.min(parseUtcTime(definition.deliver_at_utc) ?? now, END_OF_TIME_MS) };
  }
  const delay = Math.min((definition.start_after_seconds ?? 0) * 1000, END_OF_TIME_MS);
  return { on: 'monotonic', at: clock.monotonic() + delay };
}

/** The due time after a delivery that ended now. Slots that passed during it are skipped. */
export function followingDue(definition: ReminderDefinition, anchor: DueTime, clock: Clock): DueTime {
  if (definition.cron) return cronDue(definition, clock);
  const anchorMs = onMonotonic(anchor, clock);
  const finishedMs = Math.max(clock.monotonic(), anchorMs);
  const at = nextDueMs({ anchorMs, intervalSeconds: definition.interval_seconds ?? 0, finishedMs });
  return { on: 'monotonic', at };
}

function cronDue({ cron, time_zone }: ReminderDefinition, clock: Clock): DueTime {
  const at = nextCronMs(cron!, time_zone ?? 'UTC', clock.now().getTime()) ?? END_OF_TIME_MS;
  return { on: 'wall', at, offset: wallOffset(clock) };
}

/**
 * The due time by the current clock. If the clock was set back, the next cron slot is looked up again, so slots that come
 * a second time are due again. A correction of less than a minute only delays the slot by that much, so that none is
 * delivered twice within moments.
 */
export function correctedDue(definition: ReminderDefinition, due: DueTime, clock: Clock): DueTime {
  if (due.offset === undefined || remainingMs(due, clock) <= 0) return due;
  return wallOffset(clock) < due.offset - WALL_CHECK_MS ? cronDue(definition, clock) : due;
}

/**
 * A due time read from disk, where only the wall clock counts. Delays and intervals go back to the monotonic clock and
 * never become longer than they were; a future cron slot is looked up again. So a clock that was set back in between
 * stalls neither.
 */
export function restoredDue(
  definition: ReminderDefinition,
  { due_wall_ms, anchor_wall_ms }: { due_wall_ms: number; anchor_wall_ms: number },
  clock: Clock,
): { due: DueTime; anchor: DueTime } {
  const due: DueTime = { on: 'wall', at: due_wall_ms };
  const anchor: DueTime = { on: 'wall', at: anchor_wall_ms };
  const left = remainingMs(due, clock);
  if (definition.cron) return { anchor, due: left > 0 ? cronDue(definition, clock) : due };
  const first = definition.mode === 'one_off' || due_wall_ms <= anchor_wall_ms;
  if (first && definition.deliver_at_utc != null) return { due, anchor };
  const longest = (first ? definition.start_after_seconds : definition.interval_seconds) ?? 0;
  const moved = Math.min(0, longest * 1000 - left);
  const steady = (at: DueTime): DueTime => ({ on: 'monotonic', at: onMonotonic(at, clock) + moved });
  return { due: steady(due), anchor: steady(anchor) };
}

/** Converts a time on either clock to the monotonic clock. */
export function onMonotonic(due: DueTime, clock: Clock): number {
  return clock.monotonic() + remainingMs(due, clock);
}
