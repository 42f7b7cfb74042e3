import type { Clock } from './clock.ts';

/**
 * A wait for a time on the wall clock sleeps no longer than this, so that a corrected clock is noticed: the system does
 * not report corrections. Without such a wait, nothing wakes up.
 */
export const WALL_CHECK_MS = 60_000;

/** How long to sleep until the wall clock shows that time, or until it should be checked again. */
export function untilWall(clock: Clock, atMs: number): number {
  return Math.min(Math.max(0, atMs - clock.now().getTime()), WALL_CHECK_MS);
}

/** The wall clock minus the monotonic one. It changes when the clock is set, and hardly otherwise. */
export function wallOffset(clock: Clock): number {
  return clock.now().getTime() - clock.monotonic();
}

/** Clocks that run apart by less are the same clock. */
const DRIFT_MS = 1000;

/**
 * A moment in the past. Setting the clock makes it neither older nor younger: its timestamp moves with the clock. A
 * timestamp later than now comes from a clock that was set back unnoticed, and counts as now.
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

  /** Its timestamp on the wall clock as it is set now. */
  get ms(): number {
    const moved = wallOffset(this.#clock) - this.#offset;
    return Math.abs(moved) < DRIFT_MS ? this.#ms : Math.round(this.#ms + moved);
  }

  get ageMs(): number {
    return Math.max(0, this.#clock.now().getTime() - this.ms);
  }
}
