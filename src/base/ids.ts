import { uuidv7 } from 'uuidv7';

/** Returns this many random bytes as lower-case hex. */
export function randomHex(bytes: number): string {
  return process.getBuiltinModule('node:crypto').randomBytes(bytes).toString('hex');
}

/** Returns a new id that sorts by time. */
export function newUuid(): string {
  return uuidv7();
}

let stamped = Number.NaN;
let stamp = '';

/** `2026-01-02T03:04:05.678Z`. Caches the last one, because many calls are about the same moment. */
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
