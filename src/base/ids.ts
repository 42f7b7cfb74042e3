import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { V7Generator } from 'uuidv7';

const POOL_BYTES = 4096;
let pool: Buffer = Buffer.alloc(0);

/** Random bytes. Drawn from a pool: asking the system costs more than everything else here. */
function draw(bytes: number): Buffer {
  if (bytes > POOL_BYTES) return randomBytes(bytes);
  if (pool.length < bytes) pool = fromKernel(POOL_BYTES) ?? randomBytes(POOL_BYTES);
  const drawn = pool.subarray(0, bytes);
  pool = pool.subarray(bytes);
  return drawn;
}

/** What `node:crypto` is seeded with, and without the 4 ms which that takes to load. */
function fromKernel(bytes: number): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = fs.openSync('/dev/urandom', 'r');
    const drawn = Buffer.alloc(bytes);
    return fs.readSync(fd, drawn) === bytes ? drawn : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** `bytes` random bytes as lowercase hex. */
export function randomHex(bytes: number): string {
  return draw(bytes).toString('hex');
}

let uuids: V7Generator | undefined;

/** A new id that sorts by time. */
export function newUuid(): string {
  uuids ??= new V7Generator({ nextUint32: () => draw(4).readUInt32LE() });
  return uuids.generate().toString();
}

let stamped = Number.NaN;
let stamp = '';

/** `2026-01-02T03:04:05.678Z`. Many ask about one moment. */
export function utcStamp(at: Date): string {
  const ms = at.getTime();
  if (ms !== stamped) {
    stamp = at.toISOString();
    stamped = ms;
  }
  return stamp;
}

/** `2026-01-02T03:04:05Z`: whole seconds. */
export function utcSeconds(at: Date): string {
  return `${utcStamp(at).slice(0, 19)}Z`;
}

/** `20260102T030405Z`. */
export function compactStamp(at: Date): string {
  const iso = utcStamp(at);
  return `${iso.slice(0, 4)}${iso.slice(5, 7)}${iso.slice(8, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}Z`;
}

/** `20260102-030405Z`. */
export function dashedStamp(at: Date): string {
  const compact = compactStamp(at);
  return `${compact.slice(0, 8)}-${compact.slice(9)}`;
}
