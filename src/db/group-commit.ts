import { type Clock, crashPoint, unavailable } from '../base/index.ts';
import { isBusy } from './sqlite-errors.ts';

interface Waiting {
  work: () => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

interface Done {
  waiting: Waiting;
  value: unknown;
}

/** What a group needs of its connection. */
export interface GroupConnection {
  /** BEGIN IMMEDIATE without waiting for another writer. */
  begin(): void;
  /** Runs one work in a savepoint. */
  inSavepoint(work: () => unknown): unknown;
  commit(): void;
  /** Ends what is left of the transaction; nothing if SQLite ended it already. */
  rollback(): void;
  inTransaction(): boolean;
}

export interface GroupOptions {
  clock: Clock;
  busyTimeoutMs: number;
  /** Bounds how long one transaction keeps other processes waiting. */
  maxGroup?: number;
}

/**
 * One transaction, and so one fsync, for all works that arrived in one turn of the event loop. A promise resolves only
 * after COMMIT returned. A work that throws is undone alone; a transaction that fails fails all of its works.
 * While another process holds the write lock the group waits without blocking this one.
 */
export class GroupCommit {
  #connection: GroupConnection;
  #options: Required<GroupOptions>;
  #queue: Waiting[] = [];
  #scheduled: (() => void) | undefined;
  #busySince: number | undefined;
  #closed = false;

  constructor(connection: GroupConnection, options: GroupOptions) {
    this.#connection = connection;
    this.#options = { maxGroup: 256, ...options };
  }

  add<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) {
        reject(unavailable('the database is closed'));
        return;
      }
      this.#queue.push({ work, resolve: resolve as (value: never) => void, reject });
      if (!this.#scheduled) this.#soon();
    });
  }

  /** Commits what waits, now, and takes no more. */
  close(): void {
    this.#closed = true;
    this.#scheduled?.();
    while (this.#queue.length > 0) {
      if (!this.#commitGroup())
        this.#rejectAll(unavailable('the database was closed while another process kept it busy'));
    }
  }

  #soon(): void {
    const immediate = setImmediate(() => this.#turn());
    this.#scheduled = () => clearImmediate(immediate);
  }

  #turn(): void {
    this.#scheduled = undefined;
    if (this.#commitGroup()) this.#busySince = undefined;
    else if (!this.#waitForWriter()) return;
    if (this.#queue.length > 0 && !this.#scheduled) this.#soon();
  }

  /** False once the wait was given up and every work was refused. */
  #waitForWriter(): boolean {
    const now = this.#options.clock.monotonic();
    this.#busySince ??= now;
    if (now - this.#busySince >= this.#options.busyTimeoutMs) {
      this.#busySince = undefined;
      this.#rejectAll(
        unavailable(`the database stayed busy for ${this.#options.busyTimeoutMs / 1000} s`, {
          hint: 'another process is writing to it; try again',
        }),
      );
      return false;
    }
    this.#scheduled = this.#options.clock.after(2 + Math.random() * 8, () => this.#turn());
    return true;
  }

  /** False when another writer is in the way and nothing was done. */
  #commitGroup(): boolean {
    const connection = this.#connection;
    try {
      connection.begin();
    } catch (error) {
      if (isBusy(error)) return false;
      this.#rejectAll(error);
      return true;
    }
    const group = this.#queue.splice(0, this.#options.maxGroup);
    const done = this.#runWorks(group);
    if (!done) return true;
    try {
      crashPoint('db.before-commit');
      connection.commit();
      crashPoint('db.after-commit');
    } catch (error) {
      connection.rollback();
      for (const { waiting } of done) waiting.reject(error);
      return true;
    }
    for (const { waiting, value } of done) waiting.resolve(value as never);
    return true;
  }

  /** Undefined when the whole transaction was lost (full disk, I/O error): nothing of the group is stored. */
  #runWorks(group: Waiting[]): Done[] | undefined {
    const done: Done[] = [];
    for (const waiting of group) {
      try {
        done.push({ waiting, value: this.#connection.inSavepoint(waiting.work) });
      } catch (error) {
        if (this.#connection.inTransaction()) {
          waiting.reject(error);
          continue;
        }
        this.#connection.rollback();
        for (const lost of group) lost.reject(error);
        return undefined;
      }
    }
    return done;
  }

  #rejectAll(error: unknown): void {
    for (const waiting of this.#queue.splice(0)) waiting.reject(error);
  }
}
