import * as fs from 'node:fs';
import { queueForFlock, releaseFlock, tryFlock } from '../../../base/index.ts';

/** Who of this process is inside, and who waits for them, for each lock file. */
interface Line {
  inside: Turnstile | undefined;
  waiting: { who: Turnstile; go: () => void }[];
}

const lines = new Map<string, Line>();

/**
 * Lets one writer at a time write to the index, in the order they came. SQLite's own lock is what keeps the index
 * right, but its waiters poll, and under many writers some would poll for ever; the kernel's queue is fair and wakes the
 * next one at once. Never needed for reading.
 *
 * A wait in the kernel's queue takes a thread, and there are four: writers of one process queue among themselves first, or
 * they would take all threads from the one inside, who then could never leave.
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
    if (this.#waiting !== undefined || this.#line.inside !== undefined) return false;
    try {
      this.#held = tryFlock(this.#open());
    } catch {
      return true;
    }
    if (this.#held) this.#line.inside = this;
    return this.#held;
  }

  /**
   * After tryEnter() was refused: resolves when it is our turn. The wait happens in a thread; it cannot be taken back, only
   * left at once.
   */
  enter(): Promise<void> {
    this.#waiting ??= this.#queue().then((held) => {
      this.#waiting = undefined;
      this.#held = held;
      if (!held) this.#pass();
    });
    return this.#waiting;
  }

  leave(): void {
    if (this.#held) releaseFlock(this.#open());
    this.#held = false;
    this.#pass();
  }

  async #queue(): Promise<boolean> {
    const line = this.#line;
    if (line.inside === undefined) line.inside = this;
    else await new Promise<void>((go) => line.waiting.push({ who: this, go }));
    try {
      return await queueForFlock(this.#open());
    } catch {
      return false;
    }
  }

  /** The next of this process may go. */
  #pass(): void {
    const line = this.#line;
    if (line.inside !== this) return;
    const next = line.waiting.shift();
    line.inside = next?.who;
    next?.go();
  }

  get #line(): Line {
    const line = lines.get(this.#file) ?? { inside: undefined, waiting: [] };
    lines.set(this.#file, line);
    return line;
  }

  /** Must not be called while a wait is going on. */
  close(): void {
    if (this.#fd !== undefined && this.#waiting === undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
    this.#held = false;
    if (this.#waiting === undefined) this.#pass();
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
