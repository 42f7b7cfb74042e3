import { Emitter } from './emitter.ts';
import { messageOf } from './errors.ts';
import type { Clock } from './time/clock.ts';

/** What a pass returns: milliseconds until the next one, or `idle` to sleep until wake() is called. */
export type NextPass = number | 'idle';

export interface LoopOptions {
  name: string;
  clock: Clock;
  /** One pass. It must read storage and never assume that a wake has a reason. */
  pass: (signal: AbortSignal) => Promise<NextPass> | NextPass;
  /** Called for the first of a run of equal failures, and when the loop recovers. */
  onTrouble?: (trouble: LoopTrouble | undefined, error: unknown) => void;
  backoff?: { firstMs: number; maxMs: number };
}

export interface LoopTrouble {
  message: string;
  failures: number;
  sinceUtc: string;
}

/**
 * Runs one pass at a time, for ever. A wake is a hint that makes the next pass come now; wakes during a pass cause
 * exactly one more. A pass that throws is retried after growing pauses. No error of a pass ends the loop.
 */
export class Loop {
  readonly passed = new Emitter<NextPass>();
  #options: LoopOptions;
  #abort = new AbortController();
  #running: Promise<void> | undefined;
  #woken = false;
  #wakeUp: (() => void) | undefined;
  #trouble: LoopTrouble | undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get trouble(): LoopTrouble | undefined {
    return this.#trouble;
  }

  start(): this {
    this.#running ??= this.#run();
    return this;
  }

  wake(): void {
    this.#woken = true;
    this.#wakeUp?.();
  }

  /** Asks the pass in progress to end and waits for it. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#wakeUp?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      this.#woken = false;
      const next = await this.#onePass(signal);
      this.passed.emit(next);
      if (!signal.aborted && !this.#woken) await this.#wait(next);
    }
  }

  async #onePass(signal: AbortSignal): Promise<NextPass> {
    try {
      const next = await this.#options.pass(signal);
      if (this.#trouble) {
        this.#trouble = undefined;
        this.#options.onTrouble?.(undefined, undefined);
      }
      return next;
    } catch (error) {
      return this.#fail(error);
    }
  }

  #fail(error: unknown): number {
    const message = messageOf(error);
    const known = this.#trouble?.message === message ? this.#trouble : undefined;
    this.#trouble = {
      message,
      failures: (this.#trouble?.failures ?? 0) + 1,
      sinceUtc: this.#trouble?.sinceUtc ?? this.#options.clock.now().toISOString(),
    };
    if (!known) this.#options.onTrouble?.(this.#trouble, error);
    const { firstMs, maxMs } = this.#options.backoff ?? { firstMs: 200, maxMs: 30_000 };
    return Math.min(maxMs, firstMs * 2 ** Math.min(20, this.#trouble.failures - 1));
  }

  #wait(next: NextPass): Promise<void> {
    return new Promise((resolve) => {
      let cancel: (() => void) | undefined;
      const done = (): void => {
        cancel?.();
        this.#wakeUp = undefined;
        resolve();
      };
      this.#wakeUp = done;
      if (next !== 'idle') cancel = this.#options.clock.after(next, done);
    });
  }
}
