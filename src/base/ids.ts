import { randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';

const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);

/** `bytes` random bytes as lowercase hex. Drawn from a pool: asking the system costs more than everything else here. */
export function randomHex(bytes: number): string {
  if (bytes > POOL_BYTES) return randomBytes(bytes).toString('hex');
  if (pool.length < bytes) pool = randomBytes(POOL_BYTES);
  const hex = pool.toString('hex', 0, bytes);
  pool = pool.subarray(bytes);
  return hex;
}

/** A new id that sorts by time. */
export function newUuid(): string {
  return uuidv7();
}

/** `2026-01-02T03:04:05.678Z`. */
export function utcStamp(at: Date): string {
  return at.toISOString();
}

/** `2026-01-02T03:04:05Z`: whole seconds. */
export function utcSeconds(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}

/** `20260102T030405Z`. */
export function compactStamp(at: Date): string {
  const iso = at.toISOString();
  return `${iso.slice(0, 4)}${iso.slice(5, 7)}${iso.slice(8, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}Z`;
}

/** `20260102-030405Z`. */
export function dashedStamp(at: Date): string {
  const compact = compactStamp(at);
  return `${compact.slice(0, 8)}-${compact.slice(9)}`;
}
