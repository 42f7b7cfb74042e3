interface HeldResponse {
  giveUp: AbortController;
}

/**
 * Responses that are held open: heartbeats, watches, event streams. Each one uses a connection, and connections are
 * limited. When they run short, the org with the most held responses has its oldest one sent at once; another org is
 * never kept out.
 */
export class HeldPlaces {
  readonly #max: number;
  readonly #orgs = new Map<string, Set<HeldResponse>>();
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#count;
  }

  /** Runs work that waits. `signal` aborts when the caller is gone or the place is needed. */
  async during<T>(
    org: string,
    gone: AbortSignal,
    work: (signal: AbortSignal, isNeeded: () => boolean) => Promise<T>,
  ): Promise<T> {
    const held: HeldResponse = { giveUp: new AbortController() };
    const own = this.#orgs.get(org) ?? new Set();
    this.#orgs.set(org, own.add(held));
    this.#count++;
    if (this.#count > this.#max) this.#freeOne();
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

  #remove(org: string, held: HeldResponse): void {
    const own = this.#orgs.get(org);
    if (!own?.delete(held)) return;
    this.#count--;
    if (own.size === 0) this.#orgs.delete(org);
  }
}
