import * as fs from 'node:fs';
import { errnoOf, type FileTroubles } from '../../base/index.ts';

export interface RotatingOptions {
  maxBytes: number;
  /** How many old files (`.1` newest) are kept. */
  keep: number;
  troubles: FileTroubles;
  /** Receives the same lines, whether or not they can be written. */
  show?: ((lines: string) => void) | undefined;
}

/** Lines that wait while the file cannot be written; beyond this the oldest are dropped. */
const MAX_WAITING = 1000;

/** Open files write their last lines when the process ends. One listener for all, because a host has many files. */
const open = new Set<RotatingFile>();
const writeAll = (): void => {
  for (const file of open) file.write();
};

/**
 * An append-only file that is renamed aside above a size, so that `tail -F` follows and nothing grows for ever. Lines that
 * cannot be written wait and are tried again. Lines of one tick are written together.
 */
export class RotatingFile {
  readonly path: string;
  #options: RotatingOptions;
  #writer: ReturnType<FileTroubles['writer']>;
  #waiting: string[] = [];
  #unshown: string[] = [];
  #fd: number | undefined;
  #size = 0;
  #scheduled = false;

  constructor(path: string, options: RotatingOptions) {
    this.path = path;
    this.#options = options;
    this.#writer = options.troubles.writer(path, () => this.#flush());
    if (open.size === 0) process.on('exit', writeAll);
    open.add(this);
  }

  append(line: string): void {
    this.#waiting.push(line);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    if (this.#options.show) this.#unshown.push(line);
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(() => {
      this.#scheduled = false;
      this.write();
    });
  }

  /** Writes the waiting lines now. */
  write(): void {
    if (this.#unshown.length > 0) this.#options.show?.(this.#unshown.splice(0).join(''));
    this.#writer.write();
  }

  close(): void {
    open.delete(this);
    if (open.size === 0) process.off('exit', writeAll);
    this.write();
    this.#writer.stop();
    this.#closeFile();
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    this.#write(Buffer.from(this.#waiting.join('')));
    this.#waiting = [];
  }

  #write(bytes: Buffer): void {
    this.#open();
    if (this.#size > 0 && this.#size + bytes.length > this.#options.maxBytes) {
      this.#rotate();
      this.#open();
    }
    try {
      for (let done = 0; done < bytes.length; ) done += fs.writeSync(this.#fd!, bytes, done);
      this.#size += bytes.length;
    } catch (error) {
      // Removes a half-written line; the whole line is written later.
      fs.ftruncateSync(this.#fd!, this.#size);
      throw error;
    }
  }

  #open(): void {
    if (this.#fd !== undefined) return;
    this.#fd = fs.openSync(this.path, 'a', 0o600);
    this.#size = fs.fstatSync(this.#fd).size;
  }

  #closeFile(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }

  #rotate(): void {
    this.#closeFile();
    for (let n = this.#options.keep; n >= 1; n--) {
      const from = n === 1 ? this.path : `${this.path}.${n - 1}`;
      try {
        fs.renameSync(from, `${this.path}.${n}`);
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') throw error;
      }
    }
    this.#size = 0;
  }
}
