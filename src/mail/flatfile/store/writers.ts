import { type Clock, isRouseError, sleep } from '../../../base/index.ts';

/** Something to do with the lock in hand. */
export interface Turn {
  timeoutMs: number;
  signal: AbortSignal | undefined;
  run: () => Promise<void>;
  /** It did not get the lock: why, or undefined when its time was up. */
  refuse: (error: unknown) => void;
}

interface Waiting extends Turn {
  deadline: number;
  forget: () => void;
}

export interface WritersOptions {
  clock: Clock;
  /** Takes the lock of all processes. */
  lock: (options: { timeoutMs: number; signal: AbortSignal }) => Promise<{ release(): void }>;
}

/** A process that always has more to write lets go after this long, and stays away a moment, for others to take the lock. */
const BURST_MS = 100;
const REST_MS = 3;

/**
 * The writers of this process on one mailbox. They queue among themselves and take the lock of all processes together: one
 * after the other while there is more to do, but not for long.
 */
export class Writers {
  #options: WritersOptions;
  #waiting: Waiting[] = [];
  #work: Promise<void> | undefined;
  #empty = new AbortController();

  constructor(options: WritersOptions) {
    this.#options = options;
  }

  add(turn: Turn): void {
    const { clock } = this.#options;
    const giveUp = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.forget();
      if (this.#waiting.length === 0) this.#empty.abort();
      turn.refuse(undefined);
    };
    const cancel = clock.after(turn.timeoutMs, giveUp);
    turn.signal?.addEventListener('abort', giveUp, { once: true });
    const forget = (): void => {
      cancel();
      turn.signal?.removeEventListener('abort', giveUp);
    };
    const waiting: Waiting = { ...turn, deadline: clock.monotonic() + turn.timeoutMs, forget };
    this.#waiting.push(waiting);
    this.#work ??= this.#runAll();
  }

  /** Resolves when this process neither holds the lock nor waits for it. */
  async idle(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const held = await this.#lock();
      if (held) await this.#burst(held);
    }
    // In the same step as the last look at what waits: an add() after this starts again.
    this.#work = undefined;
  }

  /** Undefined when nobody waits any more. */
  async #lock(): Promise<{ release(): void } | undefined> {
    const { clock, lock } = this.#options;
    this.#empty = new AbortController();
    const last = Math.max(...this.#waiting.map(({ deadline }) => deadline));
    try {
      return await lock({ timeoutMs: Math.max(0, last - clock.monotonic()), signal: this.#empty.signal });
    } catch (error) {
      this.#refuse(isLockTimeout(error) ? clock.monotonic() : Number.POSITIVE_INFINITY, error);
      return undefined;
    }
  }

  /** All of them, or those whose time is up: one that came while others waited has its own deadline. */
  #refuse(until: number, error: unknown): void {
    const refused = this.#waiting.filter(({ deadline }) => deadline <= until);
    this.#waiting = this.#waiting.filter(({ deadline }) => deadline > until);
    for (const { refuse, forget } of refused) {
      forget();
      refuse(isLockTimeout(error) ? undefined : error);
    }
  }

  async #burst(held: { release(): void }): Promise<void> {
    const { clock } = this.#options;
    const until = clock.monotonic() + BURST_MS;
    try {
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
        next.forget();
        await next.run();
        // Whoever waited for this one may have more to do.
        await new Promise((resolve) => setImmediate(resolve));
        if (clock.monotonic() >= until) break;
      }
    } finally {
      held.release();
    }
    if (clock.monotonic() >= until) await sleep(clock, REST_MS);
  }
}

const isLockTimeout = (error: unknown): boolean =>
  isRouseError(error) && error.facts['lock_timeout'] === true;
