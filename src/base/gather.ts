import type { Clock } from './time/clock.ts';

export interface GatherOptions<T, R> {
  clock: Clock;
  /** The shortest time between two questions. */
  pauseMs: number;
  /** In one question. */
  most: number;
  /** Answers each item, in their order. */
  ask: (items: T[]) => Promise<R[]>;
}

interface Asked<T, R> {
  item: T;
  answer: (value: R) => void;
  fail: (error: unknown) => void;
}

/**
 * Many questions as one: what comes while a question is under way, or shortly after one, is asked together. Whoever comes after
 * a rest does not wait.
 */
export class Gather<T, R> {
  readonly #on: GatherOptions<T, R>;
  #asked: Asked<T, R>[] = [];
  #askedAt = Number.NEGATIVE_INFINITY;
  #isBusy = false;

  constructor(on: GatherOptions<T, R>) {
    this.#on = on;
  }

  ask(item: T): Promise<R> {
    return new Promise((answer, fail) => {
      this.#asked.push({ item, answer, fail });
      if (!this.#isBusy) this.#next();
    });
  }

  #next(): void {
    const { clock, pauseMs } = this.#on;
    this.#isBusy = true;
    const wait = this.#askedAt + pauseMs - clock.monotonic();
    // At once means with all that come in the same turn of the event loop.
    if (wait <= 0) setImmediate(() => void this.#run());
    else clock.after(wait, () => void this.#run());
  }

  async #run(): Promise<void> {
    this.#askedAt = this.#on.clock.monotonic();
    const now = this.#asked.splice(0, this.#on.most);
    try {
      const answers = await this.#on.ask(now.map(({ item }) => item));
      for (const [index, { answer }] of now.entries()) answer(answers[index]!);
    } catch (error) {
      for (const { fail } of now) fail(error);
    }
    this.#isBusy = false;
    if (this.#asked.length > 0) this.#next();
  }
}
