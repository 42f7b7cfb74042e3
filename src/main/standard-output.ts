import { writeSync } from 'node:fs';
import { errnoOf, isTerminal } from '../base/index.ts';

/**
 * Standard output or error. Node's own streams load its sockets, which takes 3 ms, so they are created only for terminals
 * and for a non-blocking pipe that is full. Everything else is written synchronously, as they would.
 */
export class StandardOutput {
  readonly isTTY: boolean;
  readonly #fd: 1 | 2;
  readonly #failed: (error: NodeJS.ErrnoException) => void;
  #stream: NodeJS.WriteStream | undefined;

  constructor(fd: 1 | 2, failed: (error: NodeJS.ErrnoException) => void) {
    this.#fd = fd;
    this.#failed = failed;
    this.isTTY = isTerminal(fd);
    if (this.isTTY) this.#open();
  }

  get size(): { columns: number; rows: number } {
    const { columns, rows } = this.#open();
    return { columns, rows };
  }

  write(text: string): void {
    if (this.#stream) return void this.#stream.write(text);
    let rest = Buffer.from(text);
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.#fd, rest));
    } catch (error) {
      if (errnoOf(error) === 'EAGAIN') this.#open().write(rest);
      else this.#failed(error as NodeJS.ErrnoException);
    }
  }

  #open(): NodeJS.WriteStream {
    if (!this.#stream) {
      this.#stream = this.#fd === 1 ? process.stdout : process.stderr;
      this.#stream.on('error', this.#failed);
    }
    return this.#stream;
  }
}
