interface Held {
  giveUp: AbortController;
}

/**
 * Answers that are held open: beats, watches, streams of events. Each has a connection, of which there are only so many. When
 * they are short, the org that holds most of them has its oldest answered at once; another org is never kept out.
 */
export class HeldPlaces {
  readonly #most: number;
  readonly #orgs = new Map<string, Set<Held>>();
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  /** Runs work that waits; `signal` ends when the caller is gone or the place is needed. */
  async during<T>(
    org: string,
    gone: AbortSignal,
    work: (signal: AbortSignal, isNeeded: () => boolean) => Promise<T>,
  ): Promise<T> {
    const held: Held = { giveUp: new AbortController() };
    const own = this.#orgs.get(org) ?? new Set();
    this.#orgs.set(org, own.add(held));
    this.#count++;
    if (this.#count > this.#most) this.#freeOne();
    const { signal } = held.giveUp;
    try {
      return await work(AbortSignal.any([gone, signal]), () => signal.aborted);
    } finally {
      this.#remove(org, held);
    }
  }

  #freeOne(): void {
    let [largest] = this.#orgs;
    for (const each of this.#orgs) if (each[1].size > largest![1].size) largest = each;
    const [org, all] = largest!;
    const [oldest] = all;
    this.#remove(org, oldest!);
    oldest!.giveUp.abort();
  }

  #remove(org: string, held: Held): void {
    const own = this.#orgs.get(org);
    if (!own?.delete(held)) return;
    this.#count--;
    if (own.size === 0) this.#orgs.delete(org);
  }
}
