import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import { constants, createBrotliCompress } from 'node:zlib';
import {
  conflict,
  crashPoint,
  ensurePrivateDirectory,
  type FileLock,
  fsyncDirectory,
  lockFile,
  partMissing,
  readIfExists,
  tryLockFile,
  unsupported,
} from '../../base/index.ts';
import { COMPRESSED, packBackup, unpackBackup } from './backup-file.ts';
import { removeSnapshots } from './snapshot.ts';

/** The major version of PostgreSQL inside PGlite. It cannot read the directory of another one. */
export const EMBEDDED_VERSION = '18';

const TEMPLATE_TIMEOUT_MS = 60_000;

/**
 * Locks the directory for this process. PGlite does not lock: two processes in one directory would silently destroy
 * each other's rows. The lock is beside the directory and never deleted; the kernel releases it when we die.
 */
export function lockEmbeddedDirectory(directory: string): FileLock {
  ensurePrivateDirectory(path.dirname(directory));
  const lock = tryLockFile(`${directory}.lock`);
  if (lock) return lock;
  throw conflict(`the embedded database at ${directory} is in use by another process`, {
    hint: 'stop the other server, or give this one a directory of its own or a PostgreSQL URL',
  });
}

/** Makes the database in one step if there is none. The caller holds the lock. */
export async function ensureEmbeddedDirectory(
  directory: string,
  { templates, archives }: { templates: string | undefined; archives: string | undefined },
): Promise<void> {
  finishRestore(directory);
  removeSnapshots(directory);
  const version = readIfExists(path.join(directory, 'PG_VERSION'))?.trim();
  if (version === EMBEDDED_VERSION) return;
  if (version !== undefined) {
    throw unsupported(
      `the embedded database at ${directory} was written by PostgreSQL ${version}, not ${EMBEDDED_VERSION}`,
      {
        hint: 'open it with the version of Rouse that wrote it, or move it aside',
      },
    );
  }
  if (fs.existsSync(directory) && fs.readdirSync(directory).length > 0) {
    throw conflict(`${directory} is not empty and holds no embedded database`, {
      hint: 'choose another directory',
    });
  }
  await build(directory, async (fresh) => {
    const archive = archives && path.join(archives, archiveName());
    if (templates) fs.cpSync(await ensureTemplate(templates), fresh, { recursive: true });
    else if (archive && fs.existsSync(archive)) await unpackBackup(archive, fresh);
    else await initialise(fresh);
  });
}

const restored = (directory: string): string => `${directory}.restored`;

/**
 * Replaces the database with one that `fill` writes and verifies. Moves the old one aside and returns its new place, or
 * undefined if there was none. If killed at any instant, the next opening finds the old one or the new one, whole.
 */
export async function replaceEmbedded(
  directory: string,
  fill: (fresh: string) => Promise<void>,
): Promise<string | undefined> {
  const made = restored(directory);
  fs.rmSync(made, { recursive: true, force: true });
  await build(made, fill);
  const aside = `${directory}.replaced-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`;
  const wasThere = fs.existsSync(directory);
  if (wasThere) fs.renameSync(directory, aside);
  crashPoint('db.embedded-aside');
  finishRestore(directory);
  return wasThere ? aside : undefined;
}

/** The last step of a restore, even if the process that began it was killed. */
function finishRestore(directory: string): void {
  if (fs.existsSync(directory) || !fs.existsSync(restored(directory))) return;
  fs.renameSync(restored(directory), directory);
  fsyncDirectory(path.dirname(directory));
}

/** An initialised directory to copy, made once: initialising takes seconds, copying a tenth of one. */
async function ensureTemplate(templates: string): Promise<string> {
  ensurePrivateDirectory(templates);
  const template = path.join(templates, `pglite-${pgliteVersion()}`);
  if (fs.existsSync(template)) return template;
  const lock = await lockFile(`${template}.lock`, { timeoutMs: TEMPLATE_TIMEOUT_MS });
  try {
    if (!fs.existsSync(template)) await build(template, initialise);
  } finally {
    lock.release();
  }
  return template;
}

/** The file name of the initialised database in a release, for this version of PGlite only. */
export const archiveName = (): string => `pglite-${pgliteVersion()}.backup${COMPRESSED}`;

/** No time and no steps: the packed database of a release depends only on PGlite. */
const EMPTY = {
  rouse_backup: 1,
  created_at: '',
  version: '',
  postgres: EMBEDDED_VERSION,
  steps: [],
} as const;

/** Initialises a database and packs it for a release. */
export async function packEmbedded(archives: string): Promise<void> {
  const scratch = fs.mkdtempSync(path.join(archives, 'pglite-'));
  try {
    const data = path.join(scratch, 'data');
    await initialise(data);
    await packInitialised(data, archives);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Packs an initialised database as a backup. It contains three databases that are almost the same, megabytes apart: a window
 * of that size makes it a third of what gzip makes of it.
 */
export async function packInitialised(directory: string, archives: string): Promise<void> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
  await pipeline(
    packBackup(directory, EMPTY, { level: 0 }),
    createBrotliCompress({ params }),
    fs.createWriteStream(path.join(archives, archiveName())),
  );
}

function pgliteModule(): string {
  try {
    return createRequire(import.meta.url).resolve('@electric-sql/pglite');
  } catch (error) {
    throw partMissing('@electric-sql/pglite', error);
  }
}

function pgliteVersion(): string {
  const manifest = path.join(path.dirname(pgliteModule()), '../package.json');
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
  return version;
}

/** Fills a sibling, syncs it and renames it: a directory with the final name is complete. */
async function build(directory: string, fill: (fresh: string) => Promise<void>): Promise<void> {
  const fresh = `${directory}.new`;
  fs.rmSync(fresh, { recursive: true, force: true });
  await fill(fresh);
  fs.chmodSync(fresh, 0o700);
  syncTree(fresh);
  crashPoint('db.embedded-built');
  fs.rmSync(directory, { recursive: true, force: true });
  fs.renameSync(fresh, directory);
  fsyncDirectory(path.dirname(directory));
}

/** Runs in a separate thread, which frees the half gigabyte that initialising takes when it ends. */
function initialise(directory: string): Promise<void> {
  const program = `const { workerData } = require('node:worker_threads');
    const { PGlite } = require(workerData.module);
    PGlite.create(workerData.directory).then((db) => db.close());`;
  const module = pgliteModule();
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, { eval: true, workerData: { module, directory } });
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
}

function syncTree(directory: string): void {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const full = path.join(directory, entry.name);
    if (entry.isDirectory()) syncTree(full);
    else if (entry.isFile()) fsyncDirectory(full);
  }
  fsyncDirectory(directory);
}
