import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DatabaseSync as DatabaseSyncClass, DatabaseSyncInstance } from '@photostructure/sqlite';
import {
  currentTenant,
  ensurePrivateDirectory,
  errnoOf,
  fsyncDirectory,
  invalid,
  isRouseError,
  loadNativePart,
  messageOf,
  notFound,
  systemClock,
  unavailable,
  unsupported,
} from '../../base/index.ts';
import { isBusy, sqliteError } from './sqlite-errors.ts';

export const IN_MEMORY = ':memory:';

export interface SqliteFileOptions {
  file: string;
  readOnly: boolean;
  immutable: boolean;
  busyTimeoutMs: number;
  durable: boolean;
}

/** Opens the file with our settings; if it is missing, makes it for its owner only. */
export function openSqliteFile(options: SqliteFileOptions): DatabaseSyncInstance {
  const { file, readOnly, immutable, busyTimeoutMs } = options;
  if (file !== IN_MEMORY) {
    try {
      prepareFile(file, readOnly);
    } catch (error) {
      if (isRouseError(error)) throw error;
      throw unavailable(`database ${file} cannot be created: ${messageOf(error)}`, {
        hint: 'choose a path in a directory you may write to',
        cause: error,
      });
    }
  }
  // Loaded on first use: most commands never open a database.
  const { DatabaseSync } = loadNativePart<{ DatabaseSync: typeof DatabaseSyncClass }>(
    '@photostructure/sqlite',
    (arch) => `@photostructure/sqlite/prebuilds/linux-${arch}/@photostructure+sqlite.glibc.node`,
  );
  let db: DatabaseSyncInstance | undefined;
  try {
    const place = immutable ? `${pathToFileURL(file).href}?immutable=1` : file;
    db = new DatabaseSync(place, { readOnly, timeout: busyTimeoutMs, defensive: true });
    applySettings(db, options);
    return db;
  } catch (error) {
    db?.close();
    throw sqliteError(file, error);
  }
}

/**
 * Danger: closing any descriptor of an SQLite file drops this process's locks on it (POSIX locks). So an existing file
 * is only stat'ed, and no code may open a live database file by hand.
 */
function prepareFile(file: string, readOnly: boolean): void {
  if (file === '' || file.includes('\u0000'))
    throw invalid('the path of a database must not be empty or contain U+0000');
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) throw invalid(`database ${file} is not a regular file`);
  if (stat) return;
  if (readOnly) throw notFound(`there is no database at ${file}`);
  // SQLite would follow the link and make a file that others may read. Another process may have made the file since.
  if (fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw invalid(`database ${file} is a link to nothing`);
  ensurePrivateDirectory(path.dirname(file));
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600));
    fsyncDirectory(path.dirname(file));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Page cache per open file, in KiB, in a process shared with others. SQLite's default is 2,000. */
const CACHE_BESIDE_OTHERS = 512;

function applySettings(
  db: DatabaseSyncInstance,
  { file, readOnly, durable, busyTimeoutMs }: SqliteFileOptions,
): void {
  db.exec('PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY');
  if (currentTenant()) db.exec(`PRAGMA cache_size = -${CACHE_BESIDE_OTHERS}`);
  if (readOnly) {
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return;
  }
  if (file !== IN_MEMORY) useWriteAheadLog(db, file, busyTimeoutMs);
  // The limit cuts a log that grew during a burst back to 4 MiB at its next checkpoint.
  db.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}; PRAGMA journal_size_limit = 4194304`);
}

/** Two processes that make the same new file at once collide here, and SQLite does not wait. */
function useWriteAheadLog(db: DatabaseSyncInstance, file: string, busyTimeoutMs: number): void {
  const deadline = systemClock.monotonic() + busyTimeoutMs;
  for (;;) {
    try {
      const row = db.prepare('PRAGMA journal_mode = WAL').get() as { journal_mode: string };
      if (row.journal_mode === 'wal') return;
      throw unsupported(`database ${file} cannot use a write-ahead log (journal mode ${row.journal_mode})`, {
        hint: 'put it on a local file system',
      });
    } catch (error) {
      if (!isBusy(error) || systemClock.monotonic() >= deadline) throw error;
      pauseThread(5);
    }
  }
}

function pauseThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
