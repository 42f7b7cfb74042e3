import { type Clock, crashPoint, unavailable } from '../../base/index.ts';
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
  /** Runs one of several works in a savepoint. */
  inSavepoint(work: () => unknown): unknown;
  /** Runs the only work of a transaction. */
  alone(work: () => unknown): unknown;
  /** COMMIT; survives the death of the process, and after a sync that of the machine. */
  commit(): void;
  /** Makes what was committed durable, and on a slow disk without blocking this thread. */
  sync(done: (error: unknown) => void): void;
  /** The same at once. */
  syncNow(): void;
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

/** A group waits for those who keep coming, at most about as long as a sync takes. */
const GATHER_MS = 1;

/**
 * One transaction and one sync of the disk for all works that arrived meanwhile. A promise resolves only when its work is
 * on disk. A work that throws is undone alone; a transaction that fails fails all of its works. When the disk refuses the
 * sync, its works are refused too, although they can be read until the machine stops: nobody was promised them.
 * While another process holds the write lock, and while a slow disk works, this process goes on.
 */
export class GroupCommit {
  #connection: GroupConnection;
  #options: Required<GroupOptions>;
  #queue: Waiting[] = [];
  #scheduled: (() => void) | undefined;
  /** The group that gathers: how many it had when it was looked at last, and since when. */
  #gathering: { size: number; since: number } | undefined;
  #busySince: number | undefined;
  /** From the beginning of a transaction until the disk has it. */
  #committing = false;
  /** Committed, and waiting for the disk. */
  #unsynced: Done[] = [];
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
      if (!this.#scheduled && !this.#committing) this.#soon();
    });
  }

  /** Commits what waits, now, and takes no more. */
  close(): void {
    this.#closed = true;
    this.#scheduled?.();
    this.#syncNow();
    while (this.#queue.length > 0) {
      if (!this.#commitGroup())
        this.#rejectAll(unavailable('the database was closed while another process kept it busy'));
      this.#syncNow();
    }
  }

  #soon(): void {
    const immediate = setImmediate(() => this.#turn());
    this.#scheduled = () => clearImmediate(immediate);
  }

  #turn(): void {
    this.#scheduled = undefined;
    if (this.#othersAreComing()) {
      this.#soon();
      return;
    }
    this.#committing = true;
    if (this.#commitGroup()) this.#busySince = undefined;
    else this.#waitForWriter();
    if (this.#unsynced.length > 0) this.#sync();
    else this.#goOn();
  }

  /**
   * Whether the last turn of the event loop brought more works, so that the next may as well. Node takes one new connection in
   * each turn: committed turn by turn, everyone who makes a connection would pay for a sync of their own.
   */
  #othersAreComing(): boolean {
    const size = this.#queue.length;
    const now = this.#options.clock.monotonic();
    const { size: before, since } = this.#gathering ?? { size: 0, since: now };
    const more = size > before && size < this.#options.maxGroup && now - since < GATHER_MS;
    this.#gathering = more ? { size, since } : undefined;
    return more;
  }

  #goOn(): void {
    this.#committing = false;
    if (this.#queue.length > 0 && !this.#scheduled) this.#soon();
  }

  #sync(): void {
    const done = this.#unsynced;
    this.#connection.sync((error) => {
      // Ended by close() meanwhile.
      if (this.#unsynced !== done) return;
      this.#settle(error);
      this.#goOn();
    });
  }

  #syncNow(): void {
    if (this.#unsynced.length === 0) return;
    try {
      this.#connection.syncNow();
      this.#settle(undefined);
    } catch (error) {
      this.#settle(error);
    }
  }

  #settle(error: unknown): void {
    const done = this.#unsynced;
    this.#unsynced = [];
    for (const { waiting, value } of done) {
      if (error === undefined) waiting.resolve(value as never);
      else waiting.reject(error);
    }
  }

  /** Looks again soon; after too long, every work is refused. */
  #waitForWriter(): void {
    const now = this.#options.clock.monotonic();
    this.#busySince ??= now;
    if (now - this.#busySince >= this.#options.busyTimeoutMs) {
      this.#busySince = undefined;
      this.#rejectAll(
        unavailable(`the database stayed busy for ${this.#options.busyTimeoutMs / 1000} s`, {
          hint: 'another process is writing to it; try again',
        }),
      );
      return;
    }
    this.#scheduled = this.#options.clock.after(2 + Math.random() * 8, () => this.#turn());
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
    this.#unsynced = done;
    return true;
  }

  /** Undefined when the whole transaction was lost (full disk, I/O error): nothing of the group is stored. */
  #runWorks(group: Waiting[]): Done[] | undefined {
    const done: Done[] = [];
    const { length } = group;
    for (const waiting of group) {
      try {
        const value =
          length === 1 ? this.#connection.alone(waiting.work) : this.#connection.inSavepoint(waiting.work);
        done.push({ waiting, value });
      } catch (error) {
        if (length > 1 && this.#connection.inTransaction()) {
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
