import { type Clock, type FileTroubles, stableJson, writeFileAtomic } from '../../base/index.ts';

/** Under load a status changes many times in a moment; readers of the file are served well enough by this. */
const LEAST_PAUSE_MS = 50;

/**
 * A JSON file that mirrors a value: written when the value changed, and not otherwise. Derived, so not fsynced, and a
 * file that cannot be written stops nobody.
 */
export class WrittenOnChange {
  readonly path: string;
  #clock: Clock;
  #writer: ReturnType<FileTroubles['writer']>;
  #value: () => unknown = () => undefined;
  #last = '';
  #writtenAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(path: string, clock: Clock, troubles: FileTroubles) {
    this.path = path;
    this.#clock = clock;
    this.#writer = troubles.writer(path, () => this.#write());
  }

  /** Writes the value now, or a moment later when it was written just now; then as it stands then. */
  refresh(value: () => unknown): void {
    this.#value = value;
    if (this.#cancel) return;
    const pause = this.#writtenAt + LEAST_PAUSE_MS - this.#clock.monotonic();
    if (pause <= 0) {
      this.#writer.write();
      return;
    }
    this.#cancel = this.#clock.after(pause, () => {
      this.#cancel = undefined;
      this.#writer.write();
    });
  }

  /** The last value there will be: written at once, and whatever was still to be written is not. */
  end(value: unknown): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#value = () => value;
    this.#writer.write();
    this.#writer.stop();
  }

  #write(): void {
    const text = stableJson(this.#value());
    if (text === this.#last) return;
    writeFileAtomic(this.path, text, { durable: false });
    this.#last = text;
    this.#writtenAt = this.#clock.monotonic();
  }
}
