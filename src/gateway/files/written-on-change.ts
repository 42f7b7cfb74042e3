import { type Clock, stableJson, writeFileAtomic } from '../../base/index.ts';

/** Under load a status changes many times in a moment; readers of the file are served well enough by this. */
const LEAST_PAUSE_MS = 50;

/** A JSON file that mirrors a value: written when the value changed, and not otherwise. Derived, so not fsynced. */
export class WrittenOnChange {
  readonly path: string;
  #clock: Clock;
  #last = '';
  #writtenAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(path: string, clock: Clock) {
    this.path = path;
    this.#clock = clock;
  }

  /** Writes the value now, or a moment later when it was written just now; then as it stands then. */
  refresh(value: () => unknown): void {
    if (this.#cancel) return;
    const pause = this.#writtenAt + LEAST_PAUSE_MS - this.#clock.monotonic();
    if (pause <= 0) {
      this.write(value());
      return;
    }
    this.#cancel = this.#clock.after(pause, () => {
      this.#cancel = undefined;
      this.write(value());
    });
  }

  /** Writes at once, and whatever was still to be written is not. */
  write(value: unknown): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const text = stableJson(value);
    if (text === this.#last) return;
    writeFileAtomic(this.path, text, { durable: false });
    this.#last = text;
    this.#writtenAt = this.#clock.monotonic();
  }
}
