import { asRouseError, type Clock, type ErrorCode, unavailable } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import { Turnstile } from './turnstile.ts';

interface Waiting {
  work: (db: Sqlite) => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

const REFUSALS = new Set<ErrorCode>(['invalid', 'not_found', 'conflict', 'unsupported', 'forbidden']);

/** Bounds how long one transaction keeps other processes waiting. */
const LARGEST_GROUP = 256;

/**
 * One transaction, and so one fsync, for everything that is to be written in one turn of the event loop or while
 * another process was writing. A promise resolves after COMMIT; a work that throws is undone alone.
 */
export class CommitQueue {
  #db: Sqlite;
  #clock: Clock;
  #turnstile: Turnstile;
  #timeoutMs: number;
  #queue: Waiting[] = [];
  /** The last wait was too long; a turn that comes of it now is left at once. */
  #gaveUp = false;
  #draining: Promise<void> | undefined;

  constructor(parts: { db: Sqlite; clock: Clock; lockFile: string; timeoutMs: number }) {
    this.#db = parts.db;
    this.#clock = parts.clock;
    this.#timeoutMs = parts.timeoutMs;
    this.#turnstile = new Turnstile(parts.lockFile);
  }

  add<T>(work: (db: Sqlite) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: never) => void, reject });
      this.#draining ??= this.#drain().finally(() => {
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
      try {
        this.#commit(this.#queue.splice(0, LARGEST_GROUP));
      } finally {
        this.#turnstile.leave();
      }
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
    for (const { reject } of this.#queue.splice(0)) reject(error);
    return false;
  }

  #commit(group: Waiting[]): void {
    const done: { waiting: Waiting; value: unknown }[] = [];
    try {
      this.#db.transaction((db) => {
        for (const waiting of group) {
          try {
            done.push({ waiting, value: db.transaction(waiting.work) });
          } catch (error) {
            // A refusal concerns this work alone. Anything else may have cost the transaction: all of it is undone.
            if (!REFUSALS.has(asRouseError(error).code)) throw error;
            waiting.reject(error);
          }
        }
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
      return;
    }
    for (const { waiting, value } of done) waiting.resolve(value as never);
  }
}
