import { existsSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import type { Readable } from 'node:stream';
import {
  type Clock,
  conflict,
  Ending,
  ensurePrivateDirectory,
  FileTroubles,
  identifyProcess,
  type Log,
  messageOf,
  notFound,
  randomHex,
  readJsonIfExists,
  tryLockFile,
  utcStamp,
  writeFileAtomic,
  writeJsonAtomic,
} from '../base/index.ts';
import { SERVER_SETTINGS } from '../domain/index.ts';
import { accountsFor, isLoopback, type TlsFiles, TrustedProxies } from '../http/index.ts';
import { packageRoot } from '../session/index.ts';
import { type ServerInstance, wireMode } from '../wire/index.ts';
import { type AdminToken, ensureAdminToken, replaceAdminToken as makeAdminToken } from './admin-token.ts';
import { backupEmbedded, type RestoreReport, restoreEmbedded } from './backup.ts';
import { isBehindProxy, refuseUnnamedProxy } from './front.ts';
import { nudgeSettings } from './nudge/index.ts';
import { keepingOf } from './retention.ts';
import { openDatabase, type RunningServer, startServer } from './server.ts';
import type { ServerConfig } from './server-config.ts';
import { runningServer, type ServerFiles } from './server-files.ts';
import { positiveSeconds } from './sweep/index.ts';

export interface RunServerOptions {
  files: ServerFiles;
  host: string;
  port: number;
  hosts: readonly string[];
  /** How others reach it, if that differs from how they address it. */
  publicUrl?: string | undefined;
  tls?: Pick<TlsFiles, 'certFile' | 'keyFile'> | undefined;
  /** Addresses and ranges whose forwarded headers are trusted. */
  trustedProxies?: readonly string[] | undefined;
  /** Uids of other accounts of this machine that may connect, and need a token. */
  allowUsers?: readonly number[] | undefined;
  databaseUrl: string | undefined;
  databaseDirectUrl?: string | undefined;
  endWhenIdleMs?: number | undefined;
  env: Readonly<Record<string, string | undefined>>;
  agents: ServerConfig['agents'];
  clock: Clock;
  log: Log;
  /** Files that cannot be written now. Default: those of this server alone. */
  troubles?: FileTroubles | undefined;
}

export interface StartedServer {
  instance: ServerInstance;
  adminToken: AdminToken;
  /** Resolves when it has stopped and its files are removed. */
  stopped: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs the server of this home as a process: one at a time, identified by its files, with an administrator from the
 * first start. A start that fails, however late, undoes what it began.
 */
export async function runServer(options: RunServerOptions): Promise<StartedServer> {
  const { files } = options;
  refuseUnnamedProxy(options);
  ensurePrivateDirectory(files.directory);
  const lock = tryLockFile(files.lock);
  if (!lock) throw alreadyRunning(files);
  const ending = new Ending();
  ending.add(() => lock.release());
  try {
    return await start(options, ending);
  } catch (error) {
    await endAll(ending, options.log);
    throw error;
  }
}

async function start(options: RunServerOptions, ending: Ending): Promise<StartedServer> {
  const { files, clock, log, env, host, port, hosts, publicUrl } = options;
  const { troubles = new FileTroubles(clock) } = options;
  const agents = options.agents && { ...options.agents, ownTokenFile: files.adminToken };
  const database = { ...databaseOf(files, options), clock, log };
  const { variable, fallback } = SERVER_SETTINGS.livenessSeconds;
  const livenessSeconds = positiveSeconds(env, variable, { fallback, log });
  const peerCheck = isBehindProxy(options) ? { ...env, ROUSE_PEER_CHECK: 'token' } : env;
  const accounts = accountsFor(peerCheck, new Set(options.allowUsers));
  ending.add(() => rmSync(files.ownerToken, { force: true }));
  let adminToken: AdminToken = 'elsewhere';
  const server = await startServer({
    ...database,
    accounts,
    ownerToken: isLoopback(host) && !accounts.areKnown ? makeOwnerToken(files) : undefined,
    host,
    port,
    hosts,
    publicUrl,
    wire: wireMode(env),
    tls: options.tls && { ...options.tls, renewed: logRenewal(log) },
    proxies: new TrustedProxies(options.trustedProxies),
    troubles,
    endWhenIdleMs: options.endWhenIdleMs,
    agents,
    livenessSeconds,
    nudge: nudgeSettings(env, log),
    keeping: keepingOf(env, log),
    prepare: async (sql) => {
      adminToken = await ensureAdminToken(sql, files.adminToken);
    },
  });
  // Its files identify it until it has stopped.
  let forgetIt = (): void => {};
  ending.add(() => forgetIt());
  ending.add(() => server.stop());
  const instance = describe(server, options);
  const file = troubles.writer(files.instance, () => writeJsonAtomic(files.instance, instance));
  forgetIt = () => {
    file.stop();
    forget(files, instance);
  };
  file.write();
  return {
    instance,
    adminToken,
    stopped: server.stopped.then(() => endAll(ending, log)),
    stop: () => ending.run(),
  };
}

/** For callers that already have an error to report, or need none. */
async function endAll(ending: Ending, log: Log): Promise<void> {
  await ending.run().catch((error: unknown) => {
    log.error('not everything could be stopped', { cause: messageOf(error) });
  });
}

/** `rouse server init`: prepares the database, its tables and an administrator token without starting a server. */
export async function initServer({
  files,
  clock,
  log,
  replaceAdminToken = false,
  ...urls
}: Pick<RunServerOptions, 'files' | 'databaseUrl' | 'databaseDirectUrl' | 'clock' | 'log'> & {
  replaceAdminToken?: boolean;
}): Promise<AdminToken> {
  ensurePrivateDirectory(files.directory);
  const sql = await openDatabase({ ...databaseOf(files, urls), clock, log });
  try {
    return await (replaceAdminToken ? makeAdminToken : ensureAdminToken)(sql, files.adminToken);
  } finally {
    await sql.close();
  }
}

/** The server of this home must not be running. */
export async function restoreServer(
  { files, log, archive }: Pick<RunServerOptions, 'files' | 'log'> & { archive: string },
  options: { replace: boolean },
): Promise<RestoreReport> {
  ensurePrivateDirectory(files.directory);
  const lock = tryLockFile(files.lock);
  if (!lock) throw alreadyRunning(files);
  try {
    return await restoreEmbedded(archive, { databaseDirectory: files.database, log }, options);
  } finally {
    lock.release();
  }
}

/** Backs up the embedded database of a server that is not running. */
export async function backupServer({
  files,
  clock,
  log,
}: Pick<RunServerOptions, 'files' | 'clock' | 'log'>): Promise<{
  stream: Readable;
  close: () => Promise<void>;
}> {
  if (!existsSync(files.database)) {
    throw notFound(`there is no embedded database at ${files.database}`, {
      hint: 'with a PostgreSQL server use pg_dump',
    });
  }
  const sql = await openDatabase({ ...databaseOf(files, { databaseUrl: undefined }), clock, log });
  return { stream: await backupEmbedded(sql, files.database), close: () => sql.close() };
}

function logRenewal(log: Log): TlsFiles['renewed'] {
  return (problem) =>
    problem === undefined
      ? log.info('the certificate was reloaded')
      : log.error('the new certificate cannot be used; the old one stays in use', { cause: problem });
}

/** New at each start; it ends with the server. */
function makeOwnerToken(files: ServerFiles): string {
  const token = randomHex(32);
  writeFileAtomic(files.ownerToken, `${token}\n`, { mode: 0o600 });
  return token;
}

/** A release ships an initialised embedded database with its programs, so that the first start is fast. */
const databaseOf = (
  files: ServerFiles,
  { databaseUrl, databaseDirectUrl }: Pick<RunServerOptions, 'databaseUrl' | 'databaseDirectUrl'>,
) => ({
  databaseUrl,
  databaseDirectUrl,
  databaseDirectory: files.database,
  archiveDirectory: path.join(packageRoot(), 'dist'),
});

function describe(
  { instanceId, host, port, sql }: RunningServer,
  { clock, tls, publicUrl }: RunServerOptions,
): ServerInstance {
  const { startTicks, bootId } = identifyProcess(process.pid)!;
  return {
    schema_version: 1,
    instance_id: instanceId,
    pid: process.pid,
    process_start_ticks: startTicks,
    boot_id: bootId,
    host,
    port,
    tls: tls !== undefined,
    ...(publicUrl !== undefined && { public_url: publicUrl }),
    database: sql.dialect,
    started_at_utc: utcStamp(clock.now()),
  };
}

function forget(files: ServerFiles, { instance_id }: ServerInstance): void {
  const stored = readJsonIfExists(files.instance) as ServerInstance | undefined;
  if (stored?.instance_id === instance_id) rmSync(files.instance, { force: true });
}

function alreadyRunning(files: ServerFiles): Error {
  const running = runningServer(files);
  const where = running ? ` on ${running.host}:${running.port} (pid ${running.pid})` : '';
  return conflict(`a fleet server of this home is already running${where}`, {
    hint: 'see "rouse server status"; another one needs another ROUSE_HOME',
    facts: { cause: 'locked' },
  });
}
