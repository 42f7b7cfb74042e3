import { type Clock, Emitter, type NextPass } from '../../base/index.ts';

/** Who waits for a free moment. What is in line goes before both: neither begins while anything is in line. */
export type Waiter = 'mail' | 'reminders';

/** Nobody is waited for longer than this, though it was its turn: it may hang in a look at its own storage. */
export const TURN_MS = 5000;

/**
 * Whose turn it is when the agent may be disturbed and nothing is in line: the one that has waited longest. Whoever had
 * its turn and could not go has passed it on until the situation changes, and those who stood back for it look again.
 */
export class Turns {
  /** These stood back for somebody who could not go. */
  readonly passedOn = new Emitter<readonly Waiter[]>();
  #clock: Clock;
  #since = new Map<Waiter, number>();
  #passed = new Set<Waiter>();
  #stoodBack = new Map<Waiter, number>();
  #situation = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** It has something to deliver that cannot go now; it keeps its place until it leaves. */
  wait(who: Waiter): void {
    if (!this.#since.has(who)) this.#since.set(who, this.#clock.monotonic());
  }

  /** It has delivered, or has nothing to deliver any more. */
  leave(who: Waiter): void {
    this.#since.delete(who);
    this.#stoodBack.delete(who);
  }

  /** Who goes before it; undefined when it is its turn. */
  before(who: Waiter): Waiter | undefined {
    const now = this.#clock.monotonic();
    const since = this.#since.get(who) ?? now;
    const first = [...this.#since].find(
      ([other, at]) => other !== who && at < since && !this.#passed.has(other),
    );
    if (!first) return undefined;
    const stoodBack = this.#stoodBack.get(who) ?? now;
    this.#stoodBack.set(who, stoodBack);
    return now - stoodBack < TURN_MS ? first[0] : undefined;
  }

  /** Something changed that may let anybody go: whoever passed is asked again. */
  anew(): void {
    this.#situation++;
    this.#passed.clear();
    this.#stoodBack.clear();
  }

  /** Whether anybody else waits. */
  contested(who: Waiter): boolean {
    return [...this.#since.keys()].some((other) => other !== who);
  }

  /**
   * One pass of a waiter's loop. At its end, whatever that is, the turn is over: it went, or it passes the turn on; unless
   * the situation changed meanwhile, because then it is about to look again.
   */
  async during(who: Waiter, pass: () => Promise<NextPass>): Promise<NextPass> {
    const situation = this.#situation;
    try {
      return await pass();
    } finally {
      if (situation === this.#situation) this.#passOn(who);
    }
  }

  #passOn(who: Waiter): void {
    this.#passed.add(who);
    const others = [...this.#stoodBack.keys()].filter((other) => other !== who);
    for (const other of others) this.#stoodBack.delete(other);
    if (others.length > 0) this.passedOn.emit(others);
  }
}
