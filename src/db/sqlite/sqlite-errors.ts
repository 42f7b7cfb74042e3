import * as path from 'node:path';
import {
  type DiskTrouble,
  type ErrorCode,
  errnoOf,
  isDiskFull,
  isRouseError,
  messageOf,
  RouseError,
} from '../../base/index.ts';

/** Primary result codes of SQLite (the low byte of an extended code). */
const BUSY = 5;
const LOCKED = 6;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;
const UNIQUE = 2067;
const UNIQUE_CODES = [1555, UNIQUE, 2579];

/** Result codes that a person can act on. Everything else is our fault: `internal`. */
const KNOWN: Record<number, { code: ErrorCode; says: string; hint: string }> = {
  [BUSY]: { code: 'unavailable', says: 'is busy', hint: 'another process is writing to it; try again' },
  [LOCKED]: { code: 'unavailable', says: 'is locked', hint: 'another process is writing to it; try again' },
  7: { code: 'unavailable', says: 'could not be used: out of memory', hint: 'free some memory' },
  8: {
    code: 'unavailable',
    says: 'cannot be written',
    hint: 'check the permissions of the file and its directory',
  },
  [IO_ERROR]: {
    code: 'unavailable',
    says: 'could not be read or written',
    hint: 'check the disk and its mount',
  },
  [CORRUPT]: {
    code: 'internal',
    says: 'is damaged',
    hint: 'move the file aside, or restore it from a backup',
  },
  [FULL]: {
    code: 'unavailable',
    says: 'could not be written: the disk is full',
    hint: 'free some disk space',
  },
  14: {
    code: 'unavailable',
    says: 'cannot be opened',
    hint: 'check that the path is a file in a directory you may write to',
  },
  [NOT_A_DATABASE]: {
    code: 'internal',
    says: 'is not an SQLite database',
    hint: 'move the file aside; a new database is made when none is there',
  },
};

/** System errors outside SQLite, as in the sync of a group. */
const BY_ERRNO: Record<DiskTrouble, number> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EIO: IO_ERROR,
  EROFS: 8,
  EMFILE: 14,
  ENFILE: 14,
};

/** How SQLite's texts begin. The driver omits the code when it reads several rows. */
const BY_TEXT = new Map([
  ['database is locked', BUSY],
  ['database table is locked', LOCKED],
  ['out of memory', 7],
  ['attempt to write a readonly database', 8],
  ['disk I/O error', IO_ERROR],
  ['database disk image is malformed', CORRUPT],
  ['database or disk is full', FULL],
  ['unable to open database file', 14],
  ['file is not a database', NOT_A_DATABASE],
  ['UNIQUE constraint failed', UNIQUE],
]);

function extendedCode(error: unknown): number | undefined {
  const { errcode, code } = (error ?? {}) as { errcode?: unknown; code?: unknown };
  if (typeof errcode === 'number') return errcode;
  if (code !== 'ERR_SQLITE_ERROR') return BY_ERRNO[errnoOf(error) as DiskTrouble];
  const said = messageOf(error);
  for (const [text, known] of BY_TEXT) if (said.startsWith(text)) return known;
  return undefined;
}

/**
 * Turns a driver error into a RouseError that names the file: `conflict` for a taken unique key, `unavailable` for
 * external trouble, `internal` for the rest. `facts.sqlite_code` keeps SQLite's extended result code.
 */
export function sqliteError(file: string, error: unknown): RouseError {
  if (isRouseError(error)) return error;
  const code = extendedCode(error);
  const extras = { cause: error, facts: code === undefined ? {} : { sqlite_code: code } };
  if (code === undefined) return new RouseError('internal', messageOf(error), extras);
  if (UNIQUE_CODES.includes(code)) return new RouseError('conflict', messageOf(error), extras);
  const primary = code & 0xff;
  // SQLite reports an I/O error if there is no room for its shared memory or log.
  const known = KNOWN[primary === IO_ERROR && isDiskFull(path.dirname(file)) ? FULL : primary];
  if (!known) return new RouseError('internal', `${file}: ${messageOf(error)}`, extras);
  return new RouseError(known.code, `database ${file} ${known.says} (${messageOf(error)})`, {
    ...extras,
    hint: known.hint,
  });
}

function primaryCode(error: unknown): number | undefined {
  const code = isRouseError(error) ? error.facts['sqlite_code'] : extendedCode(error);
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** Another writer holds the lock. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === BUSY || code === LOCKED;
}
