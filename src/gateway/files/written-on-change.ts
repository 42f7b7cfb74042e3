import * as fs from 'node:fs';
import {
  type Clock,
  type FileTroubles,
  replaceAside,
  stableJson,
  writeFileAtomic,
} from '../../base/index.ts';

/** Under load a status changes many times a second; this is often enough for readers. */
const MIN_PAUSE_MS = 200;

/**
 * A JSON file that mirrors a value and is written only when the value changes. It is derived, so it is not fsynced, and a
 * failed write stops no one. Written in the background because a rename may wait for the disk; urgent changes are written
 * at once. A file that readers trust without asking the gateway (`trusted`) is never left stale: if it cannot be replaced
 * it is overwritten in place, and if that fails too it is removed.
 */
export class WrittenOnChange<T> {
  readonly path: string;
  #clock: Clock;
  #writer: ReturnType<FileTroubles['writer']>;
  #value: () => T | undefined = () => undefined;
  #urgentPart: ((value: T) => unknown) | undefined;
  #last = '';
  #lastUrgent = '';
  #writtenAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;
  #writing: Promise<void> | undefined;
  /** Something urgent was written while an older text was being written in the background. */
  #isOvertaken = false;

  /** `urgent` selects the part of the value whose change is written at once, because a reader may come right after it. */
  constructor(
    path: string,
    clock: Clock,
    troubles: FileTroubles,
    { urgent, trusted = false }: { urgent?: (value: T) => unknown; trusted?: boolean } = {},
  ) {
    this.path = path;
    this.#clock = clock;
    this.#urgentPart = urgent;
    this.#writer = troubles.writer(path, () => {
      try {
        this.#write();
      } catch (error) {
        if (trusted) this.#correct();
        throw error;
      }
    });
  }

  /** Writes the value now, or after a pause if it was written just before; then as it is at that time. */
  refresh(value: () => T): void {
    this.#value = value;
    if (this.#isUrgent()) {
      this.#cancelPending();
      this.#writer.write();
      this.#isOvertaken = this.#writing !== undefined;
      return;
    }
    if (this.#cancel) return;
    const pause = Math.max(0, this.#writtenAt + MIN_PAUSE_MS - this.#clock.monotonic());
    this.#cancel = this.#clock.after(pause, () => {
      this.#cancelPending();
      this.#writeAside();
    });
  }

  /** Writes the last value; pending writes are dropped. */
  async end(value: T): Promise<void> {
    this.#cancelPending();
    this.#value = () => value;
    await this.#writing;
    this.#cancelPending();
    this.#writer.write();
    this.#writer.stop();
  }

  #cancelPending(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #isUrgent(): boolean {
    return this.#urgentPart !== undefined && this.#urgentText() !== this.#lastUrgent;
  }

  #urgentText(): string {
    const value = this.#value();
    return value === undefined || !this.#urgentPart ? '' : stableJson(this.#urgentPart(value));
  }

  #write(): void {
    const text = stableJson(this.#value());
    if (text === this.#last) return;
    writeFileAtomic(this.path, text, { durable: false });
    this.#wrote(text);
  }

  /** A full disk still lets a file's own blocks be overwritten and the file be removed. The value now includes this trouble. */
  #correct(): void {
    this.#last = '';
    try {
      overwrite(this.path, stableJson(this.#value()));
    } catch {
      try {
        fs.rmSync(this.path, { force: true });
      } catch {
        // The file system takes no change at all; nothing more can be done.
      }
    }
  }

  #writeAside(): void {
    const text = stableJson(this.#value());
    if (text === this.#last || this.#writing !== undefined) return;
    this.#writing = replaceAside(this.path, text).then(
      () => this.#wroteAside(text),
      () => {
        this.#writing = undefined;
        // The writer reports the trouble and retries until it succeeds.
        this.#writer.write();
      },
    );
  }

  #wroteAside(text: string): void {
    this.#writing = undefined;
    this.#wrote(text);
    if (this.#isOvertaken) this.#writer.write();
    this.#isOvertaken = false;
    this.refresh(this.#value as () => T);
  }

  #wrote(text: string): void {
    this.#last = text;
    this.#lastUrgent = this.#urgentText();
    this.#writtenAt = this.#clock.monotonic();
  }
}

/** A reader may find it half written; that is not JSON, so it counts as missing. */
function overwrite(path: string, text: string): void {
  const fd = fs.openSync(path, 'r+');
  try {
    fs.ftruncateSync(fd, fs.writeSync(fd, text, 0));
  } finally {
    fs.closeSync(fd);
  }
}
