import * as fs from 'node:fs';
import { promisify } from 'node:util';

/** New content: bytes at hand, or a range of an open file. */
export type Part = Buffer | { fd: number; start: number; end: number };

/** Puts `insert` in place of the bytes `[start, end)`. */
export interface Splice {
  start: number;
  end: number;
  insert: Part[];
}

const read = promisify(fs.read) as (
  fd: number,
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesRead: number }>;
const write = promisify(fs.write) as (
  fd: number,
  buffer: Buffer,
  offset: number,
  length: number,
) => Promise<{ bytesWritten: number }>;
export const fsync = promisify(fs.fsync) as (fd: number) => Promise<void>;

const CHUNK = 1024 * 1024;

/**
 * Writes the base with all splices applied. Splices are in order and do not overlap; bytes between them are copied
 * as they are. Holds one chunk in memory, and leaves the thread free while it copies much.
 */
export async function writeSpliced(
  out: number,
  base: { fd: number; size: number },
  splices: readonly Splice[],
): Promise<void> {
  let at = 0;
  for (const { start, end, insert } of splices) {
    await writePart(out, { fd: base.fd, start: at, end: start });
    for (const part of insert) await writePart(out, part);
    at = end;
  }
  await writePart(out, { fd: base.fd, start: at, end: base.size });
}

async function writePart(out: number, part: Part): Promise<void> {
  if (Buffer.isBuffer(part)) return writeAll(out, part, part.length);
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(0, part.end - part.start)));
  for (let at = part.start; at < part.end; ) {
    const wanted = Math.min(buffer.length, part.end - at);
    const got =
      part.end - part.start <= CHUNK
        ? fs.readSync(part.fd, buffer, 0, wanted, at)
        : (await read(part.fd, buffer, 0, wanted, at)).bytesRead;
    // Shorter than it was when opened: an outsider cut it. The check before the rename sees that and starts over.
    if (got === 0) return;
    await writeAll(out, buffer, got);
    at += got;
  }
}

async function writeAll(out: number, bytes: Buffer, length: number): Promise<void> {
  for (let done = 0; done < length; ) {
    done +=
      length < CHUNK
        ? fs.writeSync(out, bytes, done, length - done)
        : (await write(out, bytes, done, length - done)).bytesWritten;
  }
}
