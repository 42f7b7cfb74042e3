import * as fs from 'node:fs';
import type { Readable } from 'node:stream';
import { conflict, unsupported, VERSION } from '../base/index.ts';
import {
  type BackupHeader,
  EMBEDDED_VERSION,
  openEmbedded,
  packBackup,
  readBackupHeader,
  replaceEmbedded,
  type Sql,
  snapshotEmbedded,
  unpackBackup,
} from '../db/index.ts';
import { FLEET_MIGRATIONS } from './schema/index.ts';
import type { DatabaseConfig } from './server-config.ts';

/** Returns the embedded database as it is now, as a stream. Other work waits only while its files are copied. */
export async function backupEmbedded(sql: Sql, directory: string): Promise<Readable> {
  if (sql.dialect !== 'embedded') throw hasItsOwnTools();
  const { rows } = await sql.query<{ id: string }>('SELECT id FROM schema_migrations ORDER BY position');
  const copy = await snapshotEmbedded(sql, directory);
  const remove = (): void => fs.rmSync(copy, { recursive: true, force: true });
  const stream = packBackup(copy, {
    rouse_backup: 1,
    created_at: new Date().toISOString(),
    version: VERSION,
    postgres: EMBEDDED_VERSION,
    steps: rows.map(({ id }) => id),
  });
  return stream.once('close', remove);
}

/** Reads a backup to its end marker, which only a complete backup has. */
export const proveBackup = (file: string): Promise<BackupHeader> => unpackBackup(file);

export function hasItsOwnTools(): Error {
  return unsupported('the database is a PostgreSQL server, which has better tools for this', {
    hint: 'use "pg_dump --format=custom" and "pg_restore" with its URL',
  });
}

export interface RestoreReport {
  created_at: string;
  /** Where the previous database was moved to. */
  moved_aside: string | null;
}

/**
 * Replaces the embedded database with the content of a backup. The caller holds the server's lock. Versions are checked
 * before anything is unpacked, and the restored database is opened before it takes its place.
 */
export async function restoreEmbedded(
  archive: string,
  { databaseDirectory: directory, log }: Pick<DatabaseConfig, 'databaseDirectory' | 'log'>,
  { replace }: { replace: boolean },
): Promise<RestoreReport> {
  const { created_at, postgres, steps, version } = await readBackupHeader(archive);
  const unknown = steps.find((step, index) => FLEET_MIGRATIONS[index]?.id !== step);
  if (postgres !== EMBEDDED_VERSION || unknown !== undefined) {
    const why = unknown === undefined ? `PostgreSQL ${postgres}` : `the layout step ${unknown}`;
    throw unsupported(`${archive} was written by Rouse ${version}, with ${why}, which is unknown here`, {
      hint: 'restore it with the version that wrote it, or update Rouse',
      facts: { version, postgres, step: unknown ?? null },
    });
  }
  if (!replace && fs.existsSync(directory) && fs.readdirSync(directory).length > 0) {
    throw conflict(`a database already exists at ${directory}`, {
      hint: 'with --replace it is moved aside, and the backup takes its place',
      facts: { cause: 'not_empty' },
    });
  }
  const aside = await replaceEmbedded(directory, async (fresh) => {
    await unpackBackup(archive, fresh);
    const sql = await openEmbedded({ directory: fresh, log });
    await sql.query('SELECT count(*) FROM orgs');
    await sql.close();
    fs.rmSync(`${fresh}.lock`, { force: true });
  });
  return { created_at, moved_aside: aside ?? null };
}
