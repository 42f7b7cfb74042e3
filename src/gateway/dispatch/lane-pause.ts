import type { Clock } from '../../base/index.ts';

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/**
 * The lane refused to type although the last observation was ready: it saw more. Trying again immediately would spin,
 * and every attempt adds ledger entries. So the next attempt waits, longer each time, or until the surface changes.
 */
export class LanePause {
  #clock: Clock;
  #refusals = 0;
  #until = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds left to wait; 0 if there is nothing to wait for. */
  left(): number {
    return Math.max(0, this.#until - this.#clock.monotonic());
  }

  /** Records another refusal and returns the wait that follows. */
  begin(): number {
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#refusals++, 10));
    this.#until = this.#clock.monotonic() + pause;
    return pause;
  }

  /** The surface changed: look now, but remember how often that did not help. */
  interrupt(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }

  /** Something was typed. */
  reset(): void {
    this.#refusals = 0;
    this.#until = Number.NEGATIVE_INFINITY;
  }
}
