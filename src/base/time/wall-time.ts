import type { Clock } from './clock.ts';

/**
 * Whoever waits for a time on the wall clock sleeps no longer than this, so that a corrected clock is noticed. Nothing
 * tells a process of a correction; while nobody waits for such a time, nobody wakes up for it.
 */
export const WALL_CHECK_MS = 60_000;

/** How long to sleep until the wall clock shows that time, or until it should be asked again. */
export function untilWall(clock: Clock, atMs: number): number {
  return Math.min(Math.max(0, atMs - clock.now().getTime()), WALL_CHECK_MS);
}

/** Where the wall clock stands against the monotonic one: it moves when somebody sets the clock, and hardly otherwise. */
export function wallOffset(clock: Clock): number {
  return clock.now().getTime() - clock.monotonic();
}

/** Clocks that run apart by less are the same clock. */
const DRIFT_MS = 1000;

/**
 * A moment that has passed. A clock that is set makes it neither older nor younger: its stamp moves with the clock. One
 * that was stamped later than now comes from a clock that was set back while nobody watched, and counts as now.
 */
export class PastMoment {
  #clock: Clock;
  #ms: number;
  #offset: number;

  constructor(clock: Clock, stampMs: number) {
    this.#clock = clock;
    this.#ms = Math.min(stampMs, clock.now().getTime());
    this.#offset = wallOffset(clock);
  }

  /** Its stamp on the wall clock as that stands now. */
  get ms(): number {
    const moved = wallOffset(this.#clock) - this.#offset;
    return Math.abs(moved) < DRIFT_MS ? this.#ms : Math.round(this.#ms + moved);
  }

  get ageMs(): number {
    return Math.max(0, this.#clock.now().getTime() - this.ms);
  }
}
