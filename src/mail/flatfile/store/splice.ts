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
  position: number,
) => Promise<{ bytesWritten: number }>;
const fsyncInThread = promisify(fs.fsync) as (fd: number) => Promise<void>;

const CHUNK = 1024 * 1024;

/**
 * Brings an open file of this size, or a directory, to disk. Here and now when it is small: handing a quick flush to a
 * thread costs about as much again. In a thread when it is large: nothing else should wait for it.
 */
export async function fsync(fd: number, size = 0): Promise<void> {
  if (size <= CHUNK) fs.fsyncSync(fd);
  else await fsyncInThread(fd);
}

interface Sink {
  fd: number;
  at: number;
}

/**
 * Writes the base with all splices applied, from the start of `out`. Splices are in order and do not overlap; bytes
 * between them are copied as they are. Holds one chunk in memory, and leaves the thread free while it copies much.
 */
export async function writeSpliced(
  out: number,
  base: { fd: number; size: number },
  splices: readonly Splice[],
): Promise<void> {
  const sink: Sink = { fd: out, at: 0 };
  let at = 0;
  for (const { start, end, insert } of splices) {
    await writePart(sink, { fd: base.fd, start: at, end: start });
    for (const part of joined(insert)) await writePart(sink, part);
    at = end;
  }
  await writePart(sink, { fd: base.fd, start: at, end: base.size });
}

/** Small pieces together: one write instead of many. */
function joined(parts: readonly Part[]): readonly Part[] {
  return parts.every((part) => Buffer.isBuffer(part)) ? [Buffer.concat(parts)] : parts;
}

async function writePart(sink: Sink, part: Part): Promise<void> {
  if (Buffer.isBuffer(part)) return writeAll(sink, part, part.length);
  if (part.end <= part.start) return;
  const buffer = spare ?? Buffer.allocUnsafe(CHUNK);
  spare = undefined;
  try {
    await copyRange(sink, part, buffer);
  } finally {
    spare = buffer;
  }
}

/** One chunk is kept for the next copy: a busy writer would otherwise make a megabyte of garbage with each commit. */
let spare: Buffer | undefined;

async function copyRange(sink: Sink, part: Exclude<Part, Buffer>, buffer: Buffer): Promise<void> {
  const small = part.end - part.start <= CHUNK;
  for (let at = part.start; at < part.end; ) {
    const wanted = Math.min(buffer.length, part.end - at);
    const got = small
      ? fs.readSync(part.fd, buffer, 0, wanted, at)
      : (await read(part.fd, buffer, 0, wanted, at)).bytesRead;
    // Shorter than it was when opened: an outsider cut it. The check before the rename sees that and starts over.
    if (got === 0) return;
    await writeAll(sink, buffer, got);
    at += got;
  }
}

async function writeAll(sink: Sink, bytes: Buffer, length: number): Promise<void> {
  for (let done = 0; done < length; ) {
    const wrote =
      length < CHUNK
        ? fs.writeSync(sink.fd, bytes, done, length - done, sink.at)
        : (await write(sink.fd, bytes, done, length - done, sink.at)).bytesWritten;
    done += wrote;
    sink.at += wrote;
  }
}
