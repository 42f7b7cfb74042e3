import type { Clock } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { DELIVERY_CHANNEL } from '../delivery/index.ts';

/** A wait for messages to a workspace. */
export interface Expectation {
  /** Resolves true if something may have come since the last call; false when the time is up or the signal aborts. */
  next(ms: number, signal: AbortSignal): Promise<boolean>;
  end(): void;
}

/** The waits for messages in this process. One LISTEN serves them all. */
export class Arrivals {
  #clock: Clock;
  #channel: string;
  #waiting = new Map<string, Set<() => void>>();
  #stop: (() => Promise<void>) | undefined;

  /** The channel of messages and calls to workspaces, or of something else that has an id. */
  constructor(clock: Clock, channel: string = DELIVERY_CHANNEL) {
    this.#channel = channel;
    this.#clock = clock;
  }

  async start(sql: Sql): Promise<void> {
    this.#stop = await sql.listen(this.#channel, (workspaceId) => this.#wake(workspaceId));
  }

  async stop(): Promise<void> {
    await this.#stop?.();
  }

  /** How many heartbeats are held. */
  get count(): number {
    let sum = 0;
    for (const waiting of this.#waiting.values()) sum += waiting.size;
    return sum;
  }

  /** Counts from now on, so that what comes between a look at the queue and the wait is not missed. */
  expect(workspaceId: string): Expectation {
    let came = false;
    let wake: (() => void) | undefined;
    const notice = (): void => {
      came = true;
      wake?.();
    };
    const others = this.#waiting.get(workspaceId) ?? new Set();
    this.#waiting.set(workspaceId, others.add(notice));
    return {
      next: async (ms, signal) => {
        if (!came && ms > 0 && !signal.aborted) {
          await new Promise<void>((resolve) => {
            const done = (): void => {
              cancel();
              signal.removeEventListener('abort', done);
              wake = undefined;
              resolve();
            };
            const cancel = this.#clock.after(ms, done);
            signal.addEventListener('abort', done);
            wake = done;
          });
        }
        const answer = came && !signal.aborted;
        came = false;
        return answer;
      },
      end: () => {
        others.delete(notice);
        if (others.size === 0 && this.#waiting.get(workspaceId) === others) this.#waiting.delete(workspaceId);
      },
    };
  }

  /** Undefined: notifications may have been missed, so every waiter looks. */
  #wake(workspaceId: string | undefined): void {
    const waiters =
      workspaceId === undefined
        ? [...this.#waiting.values()].flatMap((set) => [...set])
        : this.#waiting.get(workspaceId);
    for (const notice of [...(waiters ?? [])]) notice();
  }
}
