import * as fs from 'node:fs';

/** Bytes that can be read at any place: a file of any size, or memory. */
export interface ByteSource {
  readonly size: number;
  /** Up to `length` bytes from `start`; fewer only at the end. */
  read(start: number, length: number): Buffer;
}

export function bufferSource(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: (start, length) => bytes.subarray(start, start + length) };
}

const SMALL = 16 * 1024;
const AHEAD = 128 * 1024;

/**
 * The first `size` bytes of an open file. Small reads close to each other cost one system call. The caller closes it.
 */
export function fileSource(fd: number, size: number): ByteSource {
  let ahead: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  let small = 0;
  return {
    size,
    read(start, length) {
      const wanted = Math.max(0, Math.min(length, size - start));
      if (wanted > SMALL) return readRange(fd, start, wanted);
      if (start < ahead.start || start + wanted > ahead.start + ahead.bytes.length) {
        if (++small < 4) return readRange(fd, start, wanted);
        ahead = { start, bytes: readRange(fd, start, Math.min(AHEAD, size - start)) };
      }
      return ahead.bytes.subarray(start - ahead.start, start - ahead.start + wanted);
    },
  };
}

function readRange(fd: number, start: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const got = fs.readSync(fd, bytes, done, length - done, start + done);
    if (got === 0) break;
    done += got;
  }
  return done === length ? bytes : bytes.subarray(0, done);
}

const LARGEST_PIECE = 1024 * 1024;

/** A view that slides over a source, so that a scan of a gigabyte holds one piece in memory. */
export class Window {
  #source: ByteSource;
  /** Starts small for readers that need only the top, and grows as they read on. */
  #piece = 8 * 1024;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** The bytes from `offset` on: at least `least` of them, unless the source ends earlier. */
  from(offset: number, least: number): Buffer {
    const end = Math.min(offset + least, this.#source.size);
    if (offset < this.#start || end > this.#start + this.#bytes.length) {
      this.#bytes = this.#source.read(offset, Math.max(this.#piece, least));
      this.#start = offset;
      this.#piece = Math.min(LARGEST_PIECE, this.#piece * 4);
    }
    return this.#bytes.subarray(offset - this.#start);
  }
}
