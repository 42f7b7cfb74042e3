import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

const parties = new AsyncLocalStorage<string>();

/** Everything that `work` starts counts as this party's, which takes turns with others when the database is short. */
export function asParty<T>(party: string, work: () => T): T {
  return parties.run(party, work);
}

export interface Room {
  /** Statements and transactions that the database can run at the same time. */
  atOnce: number;
  /** Max of them for one party. */
  perParty: number;
  /** The database runs in this thread, and blocks the event loop while it works. */
  sharesThread: boolean;
}

/** After blocking the thread this long, other events get a turn. */
const MAX_BLOCKED_MS = 2;
/**
 * Turns of the event loop for others. Node accepts one connection per turn, and a quiet caller's may be behind a flood.
 */
const YIELD_TURNS = 8;

/**
 * Decides what runs next when a database has limited room: the work of each party in its order, and the parties in
 * turn. However much one party has asked for, another waits only for a few statements.
 */
export class FairLanes {
  readonly #room: Room;
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #running = new Map<string, number>();
  #count = 0;
  #yieldedAt = 0;
  #isBooked = false;

  constructor(room: Room) {
    this.#room = room;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    const party = parties.getStore() ?? '';
    if (this.#waiting.size === 0 && this.#mayBegin(party) && this.#hasYieldedLately())
      return this.#do(party, work);
    return new Promise<T>((resolve, reject) => {
      const queue = this.#waiting.get(party) ?? [];
      this.#waiting.set(party, queue);
      // The work that ended before starts it, but it runs in its own async context.
      queue.push(AsyncResource.bind(() => void this.#do(party, work).then(resolve, reject)));
      this.#goOn();
    });
  }

  #mayBegin(party: string): boolean {
    return this.#count < this.#room.atOnce && (this.#running.get(party) ?? 0) < this.#room.perParty;
  }

  #hasYieldedLately(): boolean {
    return !this.#room.sharesThread || performance.now() - this.#yieldedAt < MAX_BLOCKED_MS;
  }

  async #do<T>(party: string, work: () => Promise<T>): Promise<T> {
    this.#count++;
    this.#running.set(party, (this.#running.get(party) ?? 0) + 1);
    try {
      return await work();
    } finally {
      this.#count--;
      const left = this.#running.get(party)! - 1;
      if (left > 0) this.#running.set(party, left);
      else this.#running.delete(party);
      this.#goOn();
    }
  }

  #yield(turns: number): void {
    setImmediate(() => {
      if (turns > 1) return this.#yield(turns - 1);
      this.#isBooked = false;
      this.#yieldedAt = performance.now();
      this.#goOn();
    });
  }

  #goOn(): void {
    if (this.#waiting.size === 0 || this.#isBooked) return;
    if (!this.#hasYieldedLately()) {
      this.#isBooked = true;
      this.#yield(YIELD_TURNS);
      return;
    }
    for (const [party, queue] of this.#waiting) {
      if (!this.#mayBegin(party)) continue;
      const begin = queue.shift()!;
      // Moves behind the others, or leaves.
      this.#waiting.delete(party);
      if (queue.length > 0) this.#waiting.set(party, queue);
      begin();
      this.#goOn();
      return;
    }
  }
}
