import * as fs from 'node:fs';

/** Lines added to a file from now on, also after the file has been rotated. */
export class GrowingFile {
  readonly #path: string;
  #fd: number | undefined;
  #at = 0;
  #rest = '';

  constructor(path: string) {
    this.#path = path;
    this.#open();
    if (this.#fd !== undefined) this.#at = fs.fstatSync(this.#fd).size;
  }

  /** Complete lines only; an incomplete one is returned once it is complete. */
  added(): string[] {
    let text = this.#read();
    if (this.#isReplaced()) {
      this.close();
      this.#open();
      this.#at = 0;
      text += this.#read();
    }
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.filter(Boolean);
  }

  close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): void {
    try {
      this.#fd = fs.openSync(this.#path, 'r');
    } catch {
      this.#fd = undefined;
    }
  }

  #isReplaced(): boolean {
    const now = fs.statSync(this.#path, { throwIfNoEntry: false });
    return now !== undefined && (this.#fd === undefined || fs.fstatSync(this.#fd).ino !== now.ino);
  }

  #read(): string {
    if (this.#fd === undefined) return '';
    const chunk = Buffer.alloc(Math.max(0, fs.fstatSync(this.#fd).size - this.#at));
    const got = fs.readSync(this.#fd, chunk, 0, chunk.length, this.#at);
    this.#at += got;
    return chunk.subarray(0, got).toString('utf8');
  }
}
