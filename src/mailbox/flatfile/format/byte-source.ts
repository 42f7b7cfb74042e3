import * as fs from 'node:fs';

/** Bytes that can be read anywhere: a file of any size, or what is in memory. */
export interface ByteSource {
  readonly size: number;
  /** Up to `length` bytes from `start`; fewer only at the end. */
  read(start: number, length: number): Buffer;
}

export function bufferSource(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: (start, length) => bytes.subarray(start, start + length) };
}

/** The first `size` bytes of an open file. The caller closes it. */
export function fileSource(fd: number, size: number): ByteSource {
  return {
    size,
    read(start, length) {
      const wanted = Math.max(0, Math.min(length, size - start));
      const bytes = Buffer.allocUnsafe(wanted);
      let done = 0;
      while (done < wanted) {
        const got = fs.readSync(fd, bytes, done, wanted - done, start + done);
        if (got === 0) break;
        done += got;
      }
      return done === wanted ? bytes : bytes.subarray(0, done);
    },
  };
}

/** A view that slides over a source, so that scanning a gigabyte holds one piece of it. */
export class Window {
  #source: ByteSource;
  #piece: number;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(source: ByteSource, piece: number) {
    this.#source = source;
    this.#piece = piece;
  }

  /** The bytes from `offset` on: at least `least` of them, unless the source ends before. */
  from(offset: number, least: number): Buffer {
    const end = Math.min(offset + least, this.#source.size);
    if (offset < this.#start || end > this.#start + this.#bytes.length) {
      this.#bytes = this.#source.read(offset, Math.max(this.#piece, least));
      this.#start = offset;
    }
    return this.#bytes.subarray(offset - this.#start);
  }
}
