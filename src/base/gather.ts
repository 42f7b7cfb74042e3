import type { Clock } from './time/clock.ts';

export interface GatherOptions<T, R> {
  clock: Clock;
  /** Min time between two questions. */
  pauseMs: number;
  /** In one question. */
  maxItems: number;
  /** Returns the answer to each item, in their order. */
  ask: (items: T[]) => Promise<R[]>;
}

interface PendingItem<T, R> {
  item: T;
  answer: (value: R) => void;
  fail: (error: unknown) => void;
}

/**
 * Asks many questions as one: those that arrive while one is under way, or shortly after it, are asked together. After a
 * pause without questions the next one does not wait.
 */
export class Gather<T, R> {
  readonly #options: GatherOptions<T, R>;
  #pending: PendingItem<T, R>[] = [];
  #askedAt = Number.NEGATIVE_INFINITY;
  #isBusy = false;

  constructor(options: GatherOptions<T, R>) {
    this.#options = options;
  }

  ask(item: T): Promise<R> {
    return new Promise((answer, fail) => {
      this.#pending.push({ item, answer, fail });
      if (!this.#isBusy) this.#next();
    });
  }

  #next(): void {
    const { clock, pauseMs } = this.#options;
    this.#isBusy = true;
    const wait = this.#askedAt + pauseMs - clock.monotonic();
    // Together with all that arrive in the same turn of the event loop.
    if (wait <= 0) setImmediate(() => void this.#run());
    else clock.after(wait, () => void this.#run());
  }

  async #run(): Promise<void> {
    this.#askedAt = this.#options.clock.monotonic();
    const now = this.#pending.splice(0, this.#options.maxItems);
    try {
      const answers = await this.#options.ask(now.map(({ item }) => item));
      for (const [index, { answer }] of now.entries()) answer(answers[index]!);
    } catch (error) {
      for (const { fail } of now) fail(error);
    }
    this.#isBusy = false;
    if (this.#pending.length > 0) this.#next();
  }
}
