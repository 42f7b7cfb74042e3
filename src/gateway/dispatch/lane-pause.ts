import type { Clock } from '../../base/index.ts';

const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

/**
 * The lane refused to type although the last observation said ready: it saw more than the observation. Asking it again
 * at once would spin, and every attempt leaves entries in the ledger; so the next one waits, longer each time, or until
 * the surface shows something else.
 */
export class LanePause {
  #clock: Clock;
  #refusals = 0;
  #until = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds still to wait; 0 when there is nothing to wait for. */
  left(): number {
    return Math.max(0, this.#until - this.#clock.monotonic());
  }

  /** Another refusal. Answers with the wait it costs. */
  begin(): number {
    const pause = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.#refusals++, 10));
    this.#until = this.#clock.monotonic() + pause;
    return pause;
  }

  /** The surface changed: look at once, and remember how often that did not help. */
  interrupt(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }

  /** Something was typed. */
  reset(): void {
    this.#refusals = 0;
    this.#until = Number.NEGATIVE_INFINITY;
  }
}
