import * as fs from 'node:fs';
import type { IncomingMessage } from 'node:http';
import * as path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  conflict,
  connectHost,
  errnoOf,
  fsyncDirectory,
  isRouseError,
  messageOf,
  requireReplaceable,
  silentLog,
  systemClock,
  unavailable,
} from '../../base/index.ts';
import { type RecordedServer, runningServer, serverFiles } from '../../fleet/server-files.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { notBlank } from '../input/flag-values.ts';

const TOKEN = {
  name: 'fleet-token-file',
  value: 'FILE',
  summary: "token of an administrator of the server; default this home's",
  parse: notBlank,
} as const satisfies Flag;

const REPLACE = {
  name: 'replace',
  summary: 'move the existing database aside, and put the backup in its place',
} as const satisfies Flag;

/** Writes to a temporary name and reads the file to its end before renaming it, so the final name is always complete. */
async function backup(input: InputOf<readonly [typeof TOKEN]>): Promise<Output> {
  const file = path.resolve(input.args[0]!);
  if (fs.existsSync(file)) {
    throw conflict(`${file} already exists`, { hint: 'choose another name, such as one with the date' });
  }
  const { proveBackup } = await import('../../fleet/index.ts');
  const part = `${file}.part`;
  try {
    input.progress('copying the database');
    await write(input, part);
    const header = await proveBackup(part);
    fs.renameSync(part, file);
    fsyncDirectory(path.dirname(file));
    const bytes = fs.statSync(file).size;
    const data = { file, bytes, created_at: header.created_at, version: header.version };
    return {
      data,
      plain: `Wrote ${file} (${Math.ceil(bytes / 1024)} KiB). It contains everything: keep it private.`,
    };
  } finally {
    fs.rmSync(part, { force: true });
  }
}

async function write(input: InputOf<readonly [typeof TOKEN]>, part: string): Promise<void> {
  const files = serverFiles(input.settings.home);
  const running = runningServer(files);
  requireReplaceable(part);
  fs.rmSync(part, { force: true });
  const out = fs.createWriteStream(part, { mode: 0o600, flags: 'wx', flush: true });
  if (running) {
    const { hasItsOwnTools } = await import('../../fleet/index.ts');
    if (running.database === 'postgres') throw hasItsOwnTools();
    const { readTokenFile } = await import('../../client/index.ts');
    const token = readTokenFile(input.flags.fleetTokenFile ?? files.adminToken);
    return pipeline(await ask(running, token, input.signal), out);
  }
  const { backupServer } = await import('../../fleet/index.ts');
  const { stream, close } = await backupServer({ files, clock: systemClock, log: silentLog });
  try {
    await pipeline(stream, out);
  } finally {
    await close();
  }
}

/** Asks the running server, which has the database open, for its present state. */
async function ask(server: RecordedServer, token: string, signal: AbortSignal): Promise<Readable> {
  const host = connectHost(server.host);
  const { fleetQuestion } = await import('../../client/index.ts');
  const http = await import('node:http');
  const headers = { authorization: `Bearer ${token}` };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    http
      .get(
        {
          host,
          port: server.port,
          path: fleetQuestion('admin.backup', {}).path,
          headers,
          signal,
          agent: new http.Agent(),
        },
        resolve,
      )
      .on('error', reject);
  }).catch((error: unknown) => {
    throw unavailable(`the fleet server did not respond (${errnoOf(error) ?? messageOf(error)})`);
  });
  if (response.statusCode === 200) return response;
  const { failureOf } = await import('../../client/index.ts');
  let text = '';
  for await (const chunk of Readable.from(response)) text += chunk;
  throw failureOf(response.statusCode ?? 0, parsed(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function restore(input: InputOf<readonly [typeof REPLACE]>): Promise<Output> {
  const { restoreServer } = await import('../../fleet/index.ts');
  const files = serverFiles(input.settings.home);
  const archive = path.resolve(input.args[0]!);
  input.progress('unpacking the database');
  const { created_at, moved_aside } = await restoreServer(
    { files, log: silentLog, archive },
    { replace: input.flags.replace === true },
  ).catch((error: unknown) => {
    if (isRouseError(error)) throw error;
    throw unavailable(`the backup could not be restored: ${messageOf(error)}`, { cause: error });
  });
  const plain = [
    `The database is as it was at ${created_at}. Start the server: rouse server start`,
    ...(moved_aside === null ? [] : [`The previous database is in ${moved_aside}.`]),
    'Tokens of that time are valid again. If the admin token is lost: "rouse server init --replace-admin-token".',
  ].join('\n');
  return { data: { database: files.database, created_at, moved_aside }, plain };
}

const FILE = { name: 'file', summary: 'the backup' };

export const BACKUP_COMMANDS = [
  command({
    name: 'backup',
    summary: 'write the embedded database to a file, also while the server runs',
    description:
      'The file contains the database as of one moment. A running server pauses only while its files are copied. ' +
      'For a PostgreSQL server, use its own pg_dump.',
    examples: ['rouse server backup fleet-2026-11-17.backup'],
    args: [FILE],
    flags: [TOKEN],
    run: backup,
  }),
  command({
    name: 'restore',
    summary: 'put a backup in the place of the embedded database of this home',
    description:
      'The server must not run. An existing database is moved aside, and only with --replace. A backup of a ' +
      'newer version is refused; one of an older version is migrated at the next start.',
    examples: ['rouse server restore fleet-2026-11-17.backup', 'rouse server restore --replace fleet.backup'],
    args: [FILE],
    flags: [REPLACE],
    run: restore,
  }),
];
