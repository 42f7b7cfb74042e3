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
  /** Where the database lives; made when it is not there. `<directory>.lock` beside it says who has it. */
  directory: string;
  /** Keep an initialised copy here, so that the next new database starts in a fraction of the time. */
  templateDirectory?: string;
  /** Where a release keeps an initialised database, packed; used when it is there. */
  archiveDirectory?: string;
  clock?: Clock;
  log?: Log;
}

/**
 * PostgreSQL in this process, for one process and for one statement at a time. `conflict` when another process has the
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
