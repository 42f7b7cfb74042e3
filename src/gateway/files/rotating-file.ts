import * as fs from 'node:fs';
import { errnoOf } from '../../base/index.ts';

export interface RotatingOptions {
  maxBytes: number;
  /** How many old files (`.1` newest) are kept. */
  keep: number;
}

/** An append-only file that is renamed aside above a size, so that `tail -F` follows and nothing grows for ever. */
export class RotatingFile {
  readonly path: string;
  #options: RotatingOptions;
  #fd: number | undefined;
  #size = 0;

  constructor(path: string, options: RotatingOptions) {
    this.path = path;
    this.#options = options;
  }

  append(line: string): void {
    const bytes = Buffer.from(line);
    const fd = this.#open();
    if (this.#size > 0 && this.#size + bytes.length > this.#options.maxBytes) {
      this.#rotate();
      this.append(line);
      return;
    }
    fs.writeSync(fd, bytes);
    this.#size += bytes.length;
  }

  close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): number {
    if (this.#fd === undefined) {
      this.#fd = fs.openSync(this.path, 'a', 0o600);
      this.#size = fs.fstatSync(this.#fd).size;
    }
    return this.#fd;
  }

  #rotate(): void {
    this.close();
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
