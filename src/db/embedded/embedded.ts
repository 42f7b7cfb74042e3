import * as path from 'node:path';
import {
  type Clock,
  internal,
  isRouseError,
  type Log,
  messageOf,
  type RouseError,
  silentLog,
  systemClock,
} from '../../base/index.ts';
import type { Sql } from '../sql.ts';
import { sqlOver } from '../sql-over-backend.ts';
import { ensureEmbeddedDirectory, lockEmbeddedDirectory } from './directory.ts';
import { EmbeddedBackend } from './embedded-backend.ts';

export interface EmbeddedOptions {
  /** The database directory, made if it is missing. `<directory>.lock` beside it names its user. */
  directory: string;
  /** Keeps an initialised copy here, so that the next new database starts much faster. */
  templateDirectory?: string;
  /** Where a release keeps an initialised, packed database; used if it exists. */
  archiveDirectory?: string;
  clock?: Clock;
  log?: Log;
}

/**
 * PostgreSQL in this process, for one process and one statement at a time. `conflict` if another process has the
 * directory.
 */
export async function openEmbedded({
  directory,
  templateDirectory: templates,
  archiveDirectory: archives,
  clock = systemClock,
  log = silentLog,
}: EmbeddedOptions): Promise<Sql> {
  const root = path.resolve(directory);
  const lock = lockEmbeddedDirectory(root);
  try {
    await ensureEmbeddedDirectory(root, { templates, archives });
    const backend = new EmbeddedBackend({ root, clock, log, closed: () => lock.release() });
    await backend.start();
    return sqlOver(backend);
  } catch (error) {
    lock.release();
    throw isRouseError(error) ? error : unreadable(root, error);
  }
}

function unreadable(directory: string, error: unknown): RouseError {
  return internal(`the embedded database at ${directory} could not be opened: ${messageOf(error)}`, {
    hint: 'move the directory aside, or restore it from a backup',
    cause: error,
  });
}
