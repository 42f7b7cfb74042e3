import * as fs from 'node:fs/promises';

const CHUNK = 256 * 1024;
/** A tool may write faster than we read, so one call ends after this many bytes. */
const MAX_BYTES_PER_READ = 1024 * 1024;

/** Reads a growing file from its beginning, in chunks; each byte once. */
export class OutputReader {
  readonly #file: string;
  readonly #buffer = Buffer.allocUnsafe(CHUNK);
  #handle: fs.FileHandle | undefined;
  #offset = 0;
  #closed = false;

  constructor(file: string) {
    this.#file = file;
  }

  get offset(): number {
    return this.#offset;
  }

  /** Reads up to the current end or the maximum; returns false if there may be more. A chunk is valid only during the call. */
  async read(take: (chunk: Uint8Array) => void): Promise<boolean> {
    if (this.#closed) return true;
    this.#handle ??= await fs.open(this.#file, 'r');
    if (this.#closed) await this.close();
    for (const until = this.#offset + MAX_BYTES_PER_READ; this.#offset < until; ) {
      const handle = this.#handle;
      if (handle === undefined) return true;
      const { bytesRead } = await handle.read(this.#buffer, 0, CHUNK, this.#offset);
      if (bytesRead === 0 || this.#closed) return true;
      this.#offset += bytesRead;
      take(this.#buffer.subarray(0, bytesRead));
    }
    return false;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}
