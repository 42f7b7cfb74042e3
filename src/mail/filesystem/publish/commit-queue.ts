import { asRouseError, type Clock, crashPoint, type ErrorCode, unavailable } from '../../../base/index.ts';
import type { Sqlite } from '../../../db/index.ts';
import { Turnstile } from '../root/turnstile.ts';

interface Waiting {
  work: (db: Sqlite) => unknown;
  unconfirmed: ((value: never) => void) | undefined;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

interface Done {
  waiting: Waiting;
  value: unknown;
}

const REFUSALS = new Set<ErrorCode>(['invalid', 'not_found', 'conflict', 'unsupported', 'forbidden']);

/** Bounds how long one transaction keeps other processes waiting. */
const LARGEST_GROUP = 256;

export interface CommitQueueParts {
  db: Sqlite;
  clock: Clock;
  lockFile: string;
  timeoutMs: number;
  /** Brings what was committed to disk. */
  flush: () => void;
}

/**
 * One transaction, and so one flush, for everything that is to be written in one turn of the event loop or while
 * another process was writing. A promise resolves after commit and flush; a work that throws is undone alone.
 */
export class CommitQueue {
  #db: Sqlite;
  #clock: Clock;
  #flush: () => void;
  #turnstile: Turnstile;
  #timeoutMs: number;
  #queue: Waiting[] = [];
  /** The last wait was too long; a turn that comes of it now is left at once. */
  #gaveUp = false;
  #draining: Promise<void> | undefined;

  constructor(parts: CommitQueueParts) {
    this.#flush = parts.flush;
    this.#db = parts.db;
    this.#clock = parts.clock;
    this.#timeoutMs = parts.timeoutMs;
    this.#turnstile = new Turnstile(parts.lockFile);
  }

  /** When the commit was made and its flush is refused, `unconfirmed` is told before the promise is rejected. */
  add<T>(work: (db: Sqlite) => T, unconfirmed?: (value: T) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, unconfirmed, resolve: resolve as (value: never) => void, reject });
      this.#draining ??= this.#drain()
        .catch((error) => this.#refuseAll(error))
        .finally(() => {
          this.#draining = undefined;
        });
    });
  }

  async close(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
    this.#turnstile.close();
  }

  async #drain(): Promise<void> {
    // The rest of this turn joins the group.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      if (!this.#turnstile.tryEnter() && !(await this.#myTurn())) continue;
      const group = this.#queue.splice(0, LARGEST_GROUP);
      let done: Done[];
      try {
        done = this.#commit(group);
      } finally {
        this.#turnstile.leave();
      }
      this.#answer(done);
      // Whoever was answered may have more to write: it joins the next group.
      if (this.#queue.length === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** False when the wait was given up and everything that waited was refused. */
  async #myTurn(): Promise<boolean> {
    let cancel = (): void => {};
    const tooLate = new Promise<false>((resolve) => {
      cancel = this.#clock.after(this.#timeoutMs, () => resolve(false));
    });
    const entered = this.#turnstile.enter().then(() => true);
    this.#gaveUp = false;
    const ours = await Promise.race([entered, tooLate]);
    cancel();
    if (ours) return true;
    this.#gaveUp = true;
    void entered.then(() => {
      if (this.#gaveUp) this.#turnstile.leave();
    });
    const error = unavailable(`the mail index stayed busy for ${this.#timeoutMs / 1000} s`, {
      hint: 'another process is writing to it; try again',
    });
    this.#refuseAll(error);
    return false;
  }

  #refuseAll(error: unknown): void {
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }

  #commit(group: Waiting[]): Done[] {
    const done: Done[] = [];
    // A work that has the transaction to itself needs no savepoint, which costs a copy of every page it changes.
    const alone = group.length === 1;
    try {
      this.#db.transaction((db) => {
        for (const waiting of group) {
          try {
            done.push({ waiting, value: alone ? waiting.work(db) : db.transaction(waiting.work) });
          } catch (error) {
            // A refusal concerns this work alone. Anything else may have cost the transaction: all of it is undone.
            if (alone || !REFUSALS.has(asRouseError(error).code)) throw error;
            waiting.reject(error);
          }
        }
      });
      return done;
    } catch (error) {
      for (const { reject } of group) reject(error);
      return [];
    }
  }

  /** Also a work that wrote nothing waits for the flush: what it found may have been written a moment ago by others. */
  #answer(done: Done[]): void {
    if (done.length === 0) return;
    try {
      this.#flush();
    } catch (error) {
      for (const { waiting, value } of done) {
        waiting.unconfirmed?.(value as never);
        waiting.reject(error);
      }
      return;
    }
    crashPoint('mailbox.commit.flushed');
    for (const { waiting, value } of done) waiting.resolve(value as never);
  }
}
