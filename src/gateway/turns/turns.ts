import { type Clock, Emitter, type NextPass } from '../../base/index.ts';

/** Who waits for a free moment. Queued requests go before both: neither begins while anything is queued. */
export type Waiter = 'mail' | 'reminders';

/** How long others wait for one whose turn it is: its pass may hang. */
export const TURN_MS = 5000;

/**
 * Whose turn it is when the agent may be disturbed and nothing is queued: the one that has waited longest. One that
 * could not use its turn has passed it on until the situation changes, and those who waited for it look again.
 */
export class Turns {
  /** Emits those who waited for one that could not go. */
  readonly passedOn = new Emitter<readonly Waiter[]>();
  #clock: Clock;
  #since = new Map<Waiter, number>();
  #passed = new Set<Waiter>();
  #heldBackSince = new Map<Waiter, number>();
  #situation = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** It has something to deliver that cannot go now; it keeps its place until it leaves. */
  wait(who: Waiter): void {
    if (!this.#since.has(who)) this.#since.set(who, this.#clock.monotonic());
  }

  /** It has delivered, or has nothing left to deliver. */
  leave(who: Waiter): void {
    this.#since.delete(who);
    this.#heldBackSince.delete(who);
  }

  /** Who goes before it; undefined if it is its turn. */
  before(who: Waiter): Waiter | undefined {
    const now = this.#clock.monotonic();
    const since = this.#since.get(who) ?? now;
    const first = [...this.#since].find(
      ([other, at]) => other !== who && at < since && !this.#passed.has(other),
    );
    if (!first) return undefined;
    const heldBackSince = this.#heldBackSince.get(who) ?? now;
    this.#heldBackSince.set(who, heldBackSince);
    return now - heldBackSince < TURN_MS ? first[0] : undefined;
  }

  /** The situation changed: everyone who passed may try again. */
  situationChanged(): void {
    this.#situation++;
    this.#passed.clear();
    this.#heldBackSince.clear();
  }

  /** Whether anyone else waits. */
  contested(who: Waiter): boolean {
    return [...this.#since.keys()].some((other) => other !== who);
  }

  /**
   * One pass of a waiter's loop. Its turn is over at the end: it went, or passes the turn on; unless the situation
   * changed in between, because then it looks again.
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
    const others = [...this.#heldBackSince.keys()].filter((other) => other !== who);
    for (const other of others) this.#heldBackSince.delete(other);
    if (others.length > 0) this.passedOn.emit(others);
  }
}
