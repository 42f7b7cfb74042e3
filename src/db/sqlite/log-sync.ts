import * as fs from 'node:fs';
import * as path from 'node:path';
import { currentTenant, fsyncDirectory, systemClock } from '../../base/index.ts';
import { IN_MEMORY } from './sqlite-file.ts';

/** A faster disk is waited for in place, because a handover to a thread and back takes longer. */
const SLOW_MS = 30;
/** The same in a process shared with others, who would all wait. */
const SLOW_FOR_ALL_MS = 1;

/**
 * Makes the write-ahead log of a database durable from outside SQLite. Holds the log open beside SQLite's own
 * descriptor: locks are only on the database and its -shm file, so opening and closing this one drops none. While a
 * connection is open the log is emptied but never replaced.
 */
export class LogSync {
  /** How SQLite itself must sync what is not committed in a group. */
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

  /** Call inside a transaction, before its commit: without a descriptor to sync, nothing is committed. */
  open(): void {
    if (this.#file !== undefined) this.#open(this.#file);
  }

  /** Does not block this thread once the disk has proved slow. */
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
    if (this.#fd === undefined) {
      this.#fd = fs.openSync(file, 'r+');
      // The log may be new, and a power cut must not take its name.
      fsyncDirectory(path.dirname(file));
    }
    return this.#fd;
  }

  /** Not during a sync: the descriptor number might be reused for another file. */
  #release(): void {
    if (this.#fd === undefined || this.#running > 0) return;
    fs.closeSync(this.#fd);
    this.#fd = undefined;
  }
}
