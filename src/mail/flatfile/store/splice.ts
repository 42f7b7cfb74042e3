import * as fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';

/** New content: bytes in memory, or a range of an open file. */
export type Part = Buffer | { fd: number; start: number; end: number };

/** Replaces the bytes `[start, end)` with `insert`. */
export interface Splice {
  start: number;
  end: number;
  insert: Part[];
}

const fsyncInThread = promisify(fs.fsync) as (fd: number) => Promise<void>;

const CHUNK = 1024 * 1024;

/**
 * Syncs an open file of this size, or a directory. A small one is synced in place: handing a quick sync to a thread
 * costs about as much again. A large one is synced in a thread, so that nothing else waits for it.
 */
export async function fsync(fd: number, size = 0): Promise<void> {
  if (size <= CHUNK) fs.fsyncSync(fd);
  else await fsyncInThread(fd);
}

/**
 * Writes the base with all splices applied to `out`, an empty file. Splices are in order and do not overlap; bytes in
 * between are copied unchanged. Holds one chunk in memory and yields to the event loop after each.
 */
export async function writeSpliced(
  out: number,
  base: { fd: number; size: number },
  splices: readonly Splice[],
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, base.size));
  let at = 0;
  for (const { start, end, insert } of splices) {
    await copyRange(out, { fd: base.fd, start: at, end: start }, buffer);
    for (const part of insert) {
      if (Buffer.isBuffer(part)) writeAll(out, part);
      else await copyRange(out, part, Buffer.allocUnsafe(Math.min(CHUNK, part.end - part.start)));
    }
    at = end;
  }
  await copyRange(out, { fd: base.fd, start: at, end: base.size }, buffer);
}

async function copyRange(out: number, part: Exclude<Part, Buffer>, buffer: Buffer): Promise<void> {
  for (let at = part.start; at < part.end; ) {
    const got = fs.readSync(part.fd, buffer, 0, Math.min(buffer.length, part.end - at), at);
    // Shorter than when it was opened: another program truncated it. The check before the rename notices and starts
    // over.
    if (got === 0) return;
    writeAll(out, buffer.subarray(0, got));
    at += got;
    if (at < part.end) await nextTurn();
  }
}

function writeAll(out: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(out, bytes, done, bytes.length - done);
}
