import { type Clock, crashPoint, unavailable } from '../../base/index.ts';
import { isBusy } from './sqlite-errors.ts';
import type { WriteTurn } from './write-turn.ts';

interface Waiting {
  work: () => unknown;
  onVisible: ((value: never) => void) | undefined;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

interface FinishedWork {
  waiting: Waiting;
  value: unknown;
}

/** The part of a connection that a group uses. */
export interface GroupConnection {
  /** BEGIN IMMEDIATE without waiting for another writer. */
  begin(): void;
  /** Runs one of several works in a savepoint. */
  inSavepoint(work: () => unknown): unknown;
  /** Runs the only work of a transaction. */
  alone(work: () => unknown): unknown;
  /** COMMIT. Survives the death of the process, and after a sync that of the machine. */
  commit(): void;
  /** Makes commits durable; on a slow disk without blocking this thread. */
  sync(done: (error: unknown) => void): void;
  /** The same, blocking. */
  syncNow(): void;
  /** Rolls the transaction back; does nothing if SQLite has already ended it. */
  rollback(): void;
  inTransaction(): boolean;
}

export interface GroupOptions {
  clock: Clock;
  busyTimeoutMs: number;
  /** The order of writers, if several processes write all the time. */
  turn?: WriteTurn | undefined;
  /** Bounds how long one transaction keeps other processes waiting. */
  maxGroup?: number;
}

/** A group waits while works keep arriving, up to about the time of a sync. */
const GATHER_MS = 1;

/**
 * One transaction and one sync of the disk for all works that arrived since the last. A promise resolves only when its
 * work is on disk. A work that throws is undone alone. If the transaction fails, all of its works fail. If the disk
 * refuses the sync, its works are rejected too, although they can be read until the machine stops.
 *
 * While another process writes or a slow disk works, the event loop continues. Processes with a common turn write in the
 * order in which they asked; without one, a waiting process retries every 2 to 10 ms.
 */
export class GroupCommit {
  #connection: GroupConnection;
  #options: GroupOptions & { maxGroup: number };
  #queue: Waiting[] = [];
  #scheduled: (() => void) | undefined;
  /** The group that gathers: its size at the last check, and when it began. */
  #gathering: { size: number; since: number } | undefined;
  #busySince: number | undefined;
  #waitingForTurn = false;
  #cancelTimeout: (() => void) | undefined;
  /** From the start of a transaction until it is on disk. */
  #committing = false;
  /** Committed, and waiting for the disk. */
  #unsynced: FinishedWork[] = [];
  #closed = false;

  constructor(connection: GroupConnection, options: GroupOptions) {
    this.#connection = connection;
    this.#options = { maxGroup: 256, ...options };
  }

  /** `onVisible` runs once the disk confirmed or refused the commit, before the promise settles: others see it either way. */
  add<T>(work: () => T, onVisible?: (value: T) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) {
        reject(unavailable('the database is closed'));
        return;
      }
      this.#queue.push({ work, onVisible, resolve: resolve as (value: never) => void, reject });
      if (this.#waitingForTurn) this.#limitWait();
      else if (!this.#scheduled && !this.#committing) this.#soon();
    });
  }

  /** Commits what waits, and accepts no more. */
  close(): void {
    this.#closed = true;
    this.#scheduled?.();
    this.#cancelTimeout?.();
    this.#syncNow();
    while (this.#queue.length > 0) {
      if (!this.#commitGroup())
        this.#rejectAll(unavailable('the database was closed while another process kept it busy'));
      this.#syncNow();
    }
    this.#options.turn?.close();
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
    const { turn } = this.#options;
    if (turn === undefined || turn.tryEnter()) this.#write();
    else this.#waitForTurn(turn);
  }

  #write(): void {
    const wrote = this.#commitGroup();
    this.#options.turn?.leave();
    if (wrote) this.#busySince = undefined;
    else this.#waitForWriter();
    if (this.#unsynced.length > 0) this.#sync();
    else this.#goOn();
  }

  #waitForTurn(turn: WriteTurn): void {
    this.#waitingForTurn = true;
    this.#limitWait();
    void turn.enter().then(() => {
      this.#waitingForTurn = false;
      this.#cancelTimeout?.();
      this.#cancelTimeout = undefined;
      if (this.#closed) return;
      if (this.#queue.length > 0) return this.#write();
      turn.leave();
      this.#goOn();
    });
  }

  /** Works that wait for a turn are rejected together after too long; the wait itself continues. */
  #limitWait(): void {
    this.#cancelTimeout ??= this.#options.clock.after(this.#options.busyTimeoutMs, () => {
      this.#cancelTimeout = undefined;
      this.#rejectAll(this.#stayedBusy());
    });
  }

  /**
   * Whether the last turn of the event loop brought more works, so that the next may too. Node accepts one new
   * connection per turn: with a commit per turn, every new connection would pay for its own sync.
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
      // close() has already settled it.
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
      waiting.onVisible?.(value as never);
      if (error === undefined) waiting.resolve(value as never);
      else waiting.reject(error);
    }
  }

  /** Tries again soon. After too long, rejects every work. */
  #waitForWriter(): void {
    const now = this.#options.clock.monotonic();
    this.#busySince ??= now;
    if (now - this.#busySince >= this.#options.busyTimeoutMs) {
      this.#busySince = undefined;
      this.#rejectAll(this.#stayedBusy());
      return;
    }
    this.#scheduled = this.#options.clock.after(2 + Math.random() * 8, () => this.#turn());
  }

  #stayedBusy(): Error {
    return unavailable(`the database stayed busy for ${this.#options.busyTimeoutMs / 1000} s`, {
      hint: 'another process is writing to it; try again',
    });
  }

  /** Returns false, having done nothing, if another writer is in the way. */
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

  /** Returns undefined if the whole transaction was lost (full disk, I/O error) and nothing of the group is stored. */
  #runWorks(group: Waiting[]): FinishedWork[] | undefined {
    const done: FinishedWork[] = [];
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
