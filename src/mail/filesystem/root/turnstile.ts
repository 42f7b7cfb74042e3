import * as fs from 'node:fs';
import { queueForFlock, releaseFlock, tryFlock } from '../../../base/index.ts';

/**
 * Lets one process at a time write to the index, in the order they came. SQLite's own lock is what keeps the index
 * right, but its waiters poll, and under many writers some would poll for ever; the kernel's queue is fair and wakes the
 * next one at once. Never needed for reading.
 */
export class Turnstile {
  #file: string;
  #fd: number | undefined;
  #held = false;
  #waiting: Promise<void> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * True at once when nobody else is writing. Where there is no flock, or no lock file can be opened, SQLite's own lock
   * does alone, less fairly.
   */
  tryEnter(): boolean {
    if (this.#waiting !== undefined) return false;
    try {
      this.#held = tryFlock(this.#open());
      return this.#held;
    } catch {
      return true;
    }
  }

  /** Resolves when it is our turn. The wait happens in a thread; it cannot be taken back, only left at once. */
  enter(): Promise<void> {
    if (this.tryEnter()) return Promise.resolve();
    this.#waiting ??= queueForFlock(this.#open()).then((held) => {
      this.#waiting = undefined;
      this.#held = held;
    });
    return this.#waiting;
  }

  leave(): void {
    if (this.#held) releaseFlock(this.#open());
    this.#held = false;
  }

  /** Must not be called while a wait is going on. */
  close(): void {
    if (this.#fd !== undefined && this.#waiting === undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
    this.#held = false;
  }

  #open(): number {
    this.#fd ??= fs.openSync(
      this.#file,
      fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW,
      0o600,
    );
    return this.#fd;
  }
}
