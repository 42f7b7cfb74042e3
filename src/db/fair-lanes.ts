import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

const parties = new AsyncLocalStorage<string>();

/** Whatever this starts is done for that party, which takes turns with the others wherever the database is short. */
export function asParty<T>(party: string, work: () => T): T {
  return parties.run(party, work);
}

export interface Room {
  /** Statements and transactions that the database does at the same time. */
  atOnce: number;
  /** How many of them may be of one party. */
  perParty: number;
  /** It works in this thread: while it does, nobody is heard. */
  sharesThread: boolean;
}

/** So long the thread is kept from hearing others. */
const KEPT_MS = 2;
/** Turns of the loop to hear them in: Node accepts one connection a turn, and a quiet caller's may be behind a flood's. */
const HEARING_TURNS = 8;

/**
 * Who is next where a database does only so much at once: the work of each party in its order, and the parties in turn. However
 * much one of them has asked for, another one waits for a few statements.
 */
export class FairLanes {
  readonly #room: Room;
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #running = new Map<string, number>();
  #count = 0;
  #heardAt = 0;
  #isBooked = false;

  constructor(room: Room) {
    this.#room = room;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    const party = parties.getStore() ?? '';
    if (this.#waiting.size === 0 && this.#mayBegin(party) && this.#isHeard()) return this.#do(party, work);
    return new Promise<T>((resolve, reject) => {
      const line = this.#waiting.get(party) ?? [];
      this.#waiting.set(party, line);
      // Begun by whoever ends before it, and yet in its own context.
      line.push(AsyncResource.bind(() => void this.#do(party, work).then(resolve, reject)));
      this.#goOn();
    });
  }

  #mayBegin(party: string): boolean {
    return this.#count < this.#room.atOnce && (this.#running.get(party) ?? 0) < this.#room.perParty;
  }

  #isHeard(): boolean {
    return !this.#room.sharesThread || performance.now() - this.#heardAt < KEPT_MS;
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

  #hear(turns: number): void {
    setImmediate(() => {
      if (turns > 1) return this.#hear(turns - 1);
      this.#isBooked = false;
      this.#heardAt = performance.now();
      this.#goOn();
    });
  }

  #goOn(): void {
    if (this.#waiting.size === 0 || this.#isBooked) return;
    if (!this.#isHeard()) {
      this.#isBooked = true;
      this.#hear(HEARING_TURNS);
      return;
    }
    for (const [party, line] of this.#waiting) {
      if (!this.#mayBegin(party)) continue;
      const begin = line.shift()!;
      // Behind the others, or gone.
      this.#waiting.delete(party);
      if (line.length > 0) this.#waiting.set(party, line);
      begin();
      this.#goOn();
      return;
    }
  }
}
