import type { Clock } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { DELIVERY_CHANNEL } from '../delivery/index.ts';

/** Somebody who waits for a message to a workspace. */
export interface Expectation {
  /** True when something may have come since the last call; false when the time is over or the signal says so. */
  next(ms: number, signal: AbortSignal): Promise<boolean>;
  end(): void;
}

/** Who waits for messages in this process. One LISTEN serves them all. */
export class Arrivals {
  #clock: Clock;
  #channel: string;
  #waiting = new Map<string, Set<() => void>>();
  #stop: (() => Promise<void>) | undefined;

  /** Of messages and calls to workspaces, or of something else that has an id. */
  constructor(clock: Clock, channel: string = DELIVERY_CHANNEL) {
    this.#channel = channel;
    this.#clock = clock;
  }

  async start(sql: Sql): Promise<void> {
    this.#stop = await sql.listen(this.#channel, (workspaceId) => this.#tell(workspaceId));
  }

  async stop(): Promise<void> {
    await this.#stop?.();
  }

  /** How many beats are held. */
  get count(): number {
    let sum = 0;
    for (const waiting of this.#waiting.values()) sum += waiting.size;
    return sum;
  }

  /** From now on, so that what comes between a look at the queue and the wait is not missed. */
  expect(workspaceId: string): Expectation {
    let came = false;
    let wake: (() => void) | undefined;
    const hear = (): void => {
      came = true;
      wake?.();
    };
    const others = this.#waiting.get(workspaceId) ?? new Set();
    this.#waiting.set(workspaceId, others.add(hear));
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
        others.delete(hear);
        if (others.size === 0 && this.#waiting.get(workspaceId) === others) this.#waiting.delete(workspaceId);
      },
    };
  }

  /** Undefined: notifications may have been missed, so everybody looks. */
  #tell(workspaceId: string | undefined): void {
    const hearers =
      workspaceId === undefined
        ? [...this.#waiting.values()].flatMap((set) => [...set])
        : this.#waiting.get(workspaceId);
    for (const hear of [...(hearers ?? [])]) hear();
  }
}
