import type { Clock } from './clock.ts';

interface Timer {
  due: number;
  order: number;
  call: () => void;
}

/**
 * A clock that moves only by `advance`, which runs every timer that falls due, in order. The promises that one resolves
 * settle before the next, so a day of polls runs as it would in real time.
 */
export class FakeClock implements Clock {
  #wall: number;
  #monotonic = 0;
  #order = 0;
  #timers: Timer[] = [];

  constructor(startUtc = '2026-01-01T00:00:00.000Z') {
    this.#wall = Date.parse(startUtc);
  }

  now(): Date {
    return new Date(this.#wall);
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, call: () => void): () => void {
    const timer: Timer = { due: this.#monotonic + Math.max(0, ms), order: this.#order++, call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** How many timers are armed. */
  get pending(): number {
    return this.#timers.length;
  }

  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    for (;;) {
      await settle();
      const next = this.#earliest();
      if (!next || next.due > end) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#moveTo(next.due);
      next.call();
    }
    this.#moveTo(end);
    await settle();
  }

  /** Corrects the wall clock. Monotonic time is unaffected. */
  jumpWall(ms: number): void {
    this.#wall += ms;
  }

  #moveTo(monotonic: number): void {
    this.#wall += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }

  #earliest(): Timer | undefined {
    let best: Timer | undefined;
    for (const timer of this.#timers) {
      if (!best || timer.due < best.due || (timer.due === best.due && timer.order < best.order)) best = timer;
    }
    return best;
  }
}

/** Lets pending promise reactions and immediates run, without letting time pass. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
