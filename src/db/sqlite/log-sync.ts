import * as fs from 'node:fs';
import { currentTenant, systemClock } from '../../base/index.ts';
import { IN_MEMORY } from './sqlite-file.ts';

/** A disk that answers sooner is waited for in place, because handing over to a thread and back takes longer. */
const SLOW_MS = 30;
/** Where others live in this process, they would all wait. */
const SLOW_FOR_ALL_MS = 1;

/**
 * Makes the write-ahead log of a database durable from outside of SQLite. Its file is held open beside SQLite's own:
 * locks are on the database and its -shm file only, so that opening and closing this one drops none. While a connection
 * is open the log is emptied but never replaced.
 */
export class LogSync {
  /** How SQLite itself is to sync what is not committed in a group. */
  readonly mode: 'FULL' | 'NORMAL';
  readonly #file: string | undefined;
  readonly #slowMs = currentTenant() ? SLOW_FOR_ALL_MS : SLOW_MS;
  #fd: number | undefined;
  #lastMs = 0;
  #running = 0;
  #closed = false;

  constructor(file: string, durable: boolean) {
    this.mode = durable ? 'FULL' : 'NORMAL';
    this.#file = durable && file !== IN_MEMORY ? `${file}-wal` : undefined;
  }

  /** Inside of a transaction and before its commit: what cannot be synced for want of a descriptor is not committed. */
  open(): void {
    if (this.#file !== undefined) this.#open(this.#file);
  }

  /** Without blocking this thread, once the disk has shown to be slow. */
  sync(done: (error: unknown) => void): void {
    try {
      if (this.#file === undefined || this.#lastMs < this.#slowMs) {
        this.syncNow();
        done(undefined);
      } else this.#syncAside(this.#open(this.#file), done);
    } catch (error) {
      done(error);
    }
  }

  syncNow(): void {
    if (this.#file === undefined) return;
    const begun = systemClock.monotonic();
    fs.fdatasyncSync(this.#open(this.#file));
    this.#lastMs = systemClock.monotonic() - begun;
  }

  #syncAside(fd: number, done: (error: unknown) => void): void {
    const begun = systemClock.monotonic();
    this.#running++;
    fs.fdatasync(fd, (error) => {
      this.#running--;
      this.#lastMs = systemClock.monotonic() - begun;
      if (this.#closed) this.#release();
      done(error ?? undefined);
    });
  }

  close(): void {
    this.#closed = true;
    this.#release();
  }

  #open(file: string): number {
    this.#fd ??= fs.openSync(file, 'r+');
    return this.#fd;
  }

  /** Not under a sync in progress: the number might be given to another file. */
  #release(): void {
    if (this.#fd === undefined || this.#running > 0) return;
    fs.closeSync(this.#fd);
    this.#fd = undefined;
  }
}
