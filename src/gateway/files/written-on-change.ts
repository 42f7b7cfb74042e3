import * as fs from 'node:fs';
import {
  type Clock,
  type FileTroubles,
  replaceAside,
  stableJson,
  writeFileAtomic,
} from '../../base/index.ts';

/** Under load a status changes many times in a moment; readers of the file are served well enough by this. */
const MIN_PAUSE_MS = 200;

/**
 * A JSON file that mirrors a value: written when the value changed, and not otherwise. Derived, so not fsynced, and a
 * file that cannot be written stops nobody. Written aside, since a rename may wait for the disk, except what is urgent.
 * One that readers believe without asking (`believed`) never goes on saying what is no longer true: where it cannot be
 * replaced it is written over, and where that fails too it is removed.
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
  /** Something urgent was written while an older text was on its way. */
  #isOvertaken = false;

  /** `atOnce`: the part of the value that waits for no pause, since a reader may come right after it changed. */
  constructor(
    path: string,
    clock: Clock,
    troubles: FileTroubles,
    { urgent: atOnce, trusted: believed = false }: { urgent?: (value: T) => unknown; trusted?: boolean } = {},
  ) {
    this.path = path;
    this.#clock = clock;
    this.#urgentPart = atOnce;
    this.#writer = troubles.writer(path, () => {
      try {
        this.#write();
      } catch (error) {
        if (believed) this.#correct();
        throw error;
      }
    });
  }

  /** Writes the value now, or a moment later when it was written just now; then as it stands then. */
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

  /** The last value there will be, and whatever was still to be written is not. */
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

  /** Its own blocks take other bytes also on a full disk, and a removal needs no room. The value now, with this trouble in it. */
  #correct(): void {
    this.#last = '';
    try {
      overwrite(this.path, stableJson(this.#value()));
    } catch {
      try {
        fs.rmSync(this.path, { force: true });
      } catch {
        // A file system that takes no change at all: readers see that for themselves.
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
        // Again in place, where its trouble is told and it is tried until it succeeds.
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

/** A reader may meet it half written: that is no JSON, and it is taken for missing. */
function overwrite(path: string, text: string): void {
  const fd = fs.openSync(path, 'r+');
  try {
    fs.ftruncateSync(fd, fs.writeSync(fd, text, 0));
  } finally {
    fs.closeSync(fd);
  }
}
