import { Emitter } from '../emitter.ts';
import { messageOf } from '../errors.ts';
import type { Clock } from '../time/clock.ts';

const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

/**
 * Files for readers (state, events, log) that cannot be written now: a full disk, no descriptor left, a read-only mount.
 * What they say is kept elsewhere, so nothing fails because of them; the program's health tells, and they are tried again.
 */
export class FileTroubles {
  /** A file began or ceased to be in trouble. */
  readonly changed = new Emitter<void>();
  readonly #clock: Clock;
  readonly #open = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sentences for people, one for each file. */
  get reasons(): string[] {
    return [...this.#open].map(([file, message]) => `${file} cannot be written: ${message}`);
  }

  /** A writer of one file: tries `work`, and again after growing pauses until it succeeds. */
  writer(file: string, work: () => void): { write(): void; stop(): void } {
    let failures = 0;
    let cancel: (() => void) | undefined;
    const stop = (): void => {
      cancel?.();
      cancel = undefined;
    };
    const write = (): void => {
      stop();
      try {
        work();
        failures = 0;
        this.#set(file, undefined);
      } catch (error) {
        const pause = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures++, 10));
        cancel = this.#clock.after(pause, write);
        this.#set(file, messageOf(error));
      }
    };
    return { write, stop };
  }

  #set(file: string, message: string | undefined): void {
    if (this.#open.has(file) === (message !== undefined)) return;
    if (message === undefined) this.#open.delete(file);
    else this.#open.set(file, message);
    this.changed.emit();
  }
}
