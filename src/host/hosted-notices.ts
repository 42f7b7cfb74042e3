import {
  asRouseError,
  type Clock,
  type FileLock,
  messageOf,
  runAsTenant,
  runOutsideTenants,
  type Tenant,
} from '../base/index.ts';

/** The running notices of a home. */
export interface RunningNotices {
  /** Whether anyone subscribes. */
  readonly isNeeded: boolean;
  /** Holds as long as they run: one host at a time sends the notices of a home. */
  readonly lock: FileLock;
  wake(): void;
  stop(): Promise<void>;
}

export type OpenNotices = () => Promise<RunningNotices | undefined>;

export interface NoticesParts {
  open: OpenNotices;
  clock: Clock;
  firstPauseMs: number;
}

const MAX_PAUSE_MS = 60_000;

/** Sends the notices of a home, inside its host. An error restarts only this part. */
export class HostedNotices implements Tenant {
  readonly own = new Map<symbol, unknown>();
  readonly #parts: NoticesParts;
  #running: RunningNotices | undefined;
  #last: Promise<void> = Promise.resolve();
  #failures = 0;
  #cancel: () => void = () => {};

  constructor(parts: NoticesParts) {
    this.#parts = parts;
  }

  get isNeeded(): boolean {
    return this.#running?.isNeeded ?? false;
  }

  onError = (error: unknown): void => {
    process.stderr.write(`notices: ${messageOf(asRouseError(error))}\n`);
  };

  /** Starts them if someone subscribes, and ends them if no one does any more. */
  lookAgain(): Promise<void> {
    return this.#inTurn(async () => {
      this.#running ??= await runAsTenant(this, this.#parts.open);
      if (this.#running?.isNeeded) this.#running.wake();
      else await this.#end();
    });
  }

  stop(): Promise<void> {
    this.#cancel();
    return this.#inTurn(() => this.#end());
  }

  /** After an uncaught error in them. What was stored is found again. */
  async broke(error: unknown): Promise<void> {
    this.onError(error);
    await this.stop();
    const pause = Math.min(MAX_PAUSE_MS, this.#parts.firstPauseMs * 2 ** Math.min(this.#failures++, 20));
    this.#cancel = this.#parts.clock.after(pause, () => void this.lookAgain());
  }

  /** One at a time. A failure is reported and keeps no gateway from running. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(() => runOutsideTenants(work)).catch(this.onError);
    return this.#last;
  }

  async #end(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    try {
      await running?.stop();
    } finally {
      running?.lock.release();
    }
  }
}
