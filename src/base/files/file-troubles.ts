import { Emitter } from '../emitter.ts';
import { messageOf } from '../errors.ts';
import type { Clock } from '../time/clock.ts';

const FIRST_MS = 1000;
const MAX_PAUSE_MS = 15_000;

/**
 * Files for readers (state, events, log) that cannot be written now: the disk is full or read-only, or no descriptor is
 * left. Their content is kept elsewhere, so nothing fails because of them. Health reports them, and writing is retried.
 */
export class FileTroubles {
  /** A file came into trouble or out of it. */
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

  /**
   * A writer of one file. Tries `work`, and again after growing pauses until it succeeds. More calls of `write` in the
   * meantime do not lengthen the pauses.
   */
  writer(file: string, work: () => void): { write(): void; stop(): void } {
    let pause = FIRST_MS;
    let cancel: (() => void) | undefined;
    const stop = (): void => {
      cancel?.();
      cancel = undefined;
    };
    const write = (): void => {
      try {
        work();
        stop();
        pause = FIRST_MS;
        this.#set(file, undefined);
      } catch (error) {
        cancel ??= this.#clock.after(pause, again);
        this.#set(file, messageOf(error));
      }
    };
    const again = (): void => {
      cancel = undefined;
      pause = Math.min(MAX_PAUSE_MS, 2 * pause);
      write();
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
