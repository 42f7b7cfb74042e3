import * as fs from 'node:fs';
import { createRequire } from 'node:module';

const LOCK_EX = 2;
const LOCK_NB = 4;
const LOCK_UN = 8;

interface Flock {
  (fd: number, operation: number): number;
  async(fd: number, operation: number, done: (error: Error | null, result: number) => void): void;
}

let native: Flock | null | undefined;

/** Null where it cannot be loaded: SQLite's own lock then does alone, less fairly. */
function loadFlock(): Flock | null {
  if (native !== undefined) return native;
  try {
    const koffi = createRequire(import.meta.url)('koffi') as {
      load(library: null): { func(prototype: string): Flock };
    };
    native = koffi.load(null).func('int flock(int fd, int operation)');
  } catch {
    native = null;
  }
  return native;
}

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

  /** True at once when nobody else is writing. */
  tryEnter(): boolean {
    const flock = this.#open();
    if (flock === null) return true;
    if (this.#waiting !== undefined) return false;
    this.#held = flock(this.#fd!, LOCK_EX | LOCK_NB) === 0;
    return this.#held;
  }

  /** Resolves when it is our turn. The wait happens in a thread; it cannot be taken back, only left at once. */
  enter(): Promise<void> {
    if (this.tryEnter()) return Promise.resolve();
    this.#waiting ??= new Promise<void>((resolve) => {
      this.#open()!.async(this.#fd!, LOCK_EX, (error, result) => {
        this.#waiting = undefined;
        this.#held = error === null && result === 0;
        resolve();
      });
    });
    return this.#waiting;
  }

  leave(): void {
    if (this.#held) this.#open()?.(this.#fd!, LOCK_UN);
    this.#held = false;
  }

  /** Must not be called while a wait is going on. */
  close(): void {
    if (this.#fd !== undefined && this.#waiting === undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
    this.#held = false;
  }

  #open(): Flock | null {
    const flock = loadFlock();
    if (flock === null) return null;
    this.#fd ??= fs.openSync(
      this.#file,
      fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW,
      0o600,
    );
    return flock;
  }
}
