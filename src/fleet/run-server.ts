import { existsSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import type { Readable } from 'node:stream';
import {
  type Clock,
  conflict,
  ensurePrivateDirectory,
  FileTroubles,
  identifyProcess,
  type Log,
  notFound,
  randomHex,
  readJsonIfExists,
  tryLockFile,
  utcStamp,
  writeFileAtomic,
  writeJsonAtomic,
} from '../base/index.ts';
import { accountsFor, isLoopback, type TlsFiles, TrustedProxies } from '../http/index.ts';
import { packageRoot } from '../session/index.ts';
import type { ServerInstance } from '../wire/index.ts';
import { type AdminToken, ensureAdminToken, replaceAdminToken as makeAdminToken } from './admin-token.ts';
import { backupEmbedded, type RestoreReport, restoreEmbedded } from './backup.ts';
import { nudgeSettings } from './nudge/index.ts';
import { LIVENESS_WINDOW_SECONDS } from './registry/index.ts';
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
  /** How others reach it, when that is not how they address it. */
  publicUrl?: string | undefined;
  tls?: Pick<TlsFiles, 'certFile' | 'keyFile'> | undefined;
  /** Addresses and ranges whose forwarded headers are believed. */
  trustedProxies?: readonly string[] | undefined;
  /** Uids of other accounts of this machine that may connect, and need a token. */
  allowUsers?: readonly number[] | undefined;
  databaseUrl: string | undefined;
  endWhenIdleMs?: number | undefined;
  env: Readonly<Record<string, string | undefined>>;
  agents: ServerConfig['agents'];
  clock: Clock;
  log: Log;
  /** Files that cannot be written now; default: of this server alone. */
  troubles?: FileTroubles | undefined;
}

export interface StartedServer {
  instance: ServerInstance;
  adminToken: AdminToken;
  /** Resolves when it has stopped and its files are gone. */
  stopped: Promise<void>;
  stop(): Promise<void>;
}

/** The server of this home as a process: one at a time, known by its files, with an administrator from the first start. */
export async function runServer(options: RunServerOptions): Promise<StartedServer> {
  const { files, clock, log, env, databaseUrl, host, port, hosts, publicUrl } = options;
  const { troubles = new FileTroubles(clock) } = options;
  const agents = options.agents && { ...options.agents, ownTokenFile: files.adminToken };
  ensurePrivateDirectory(files.directory);
  const lock = tryLockFile(files.lock);
  if (!lock) throw alreadyRunning(files);
  try {
    const database = { ...databaseOf(files, databaseUrl), clock, log };
    const livenessSeconds = positiveSeconds(env, 'REMOTE_LIVENESS_STALE_AFTER', {
      fallback: LIVENESS_WINDOW_SECONDS,
      log,
    });
    const proxies = new TrustedProxies(options.trustedProxies);
    const accounts = accountsFor(peerCheck(env, proxies), new Set(options.allowUsers));
    const server = await startServer({
      ...database,
      accounts,
      ownerToken: isLoopback(host) && !accounts.areKnown ? makeOwnerToken(files) : undefined,
      host,
      port,
      hosts,
      publicUrl,
      tls: options.tls && { ...options.tls, renewed: tellRenewal(log) },
      proxies,
      troubles,
      endWhenIdleMs: options.endWhenIdleMs,
      agents,
      livenessSeconds,
      nudge: nudgeSettings(env, log),
      keeping: keepingOf(env, log),
    });
    const adminToken = await ensureAdminToken(server.sql, files.adminToken);
    const instance = describe(server, options);
    const file = troubles.writer(files.instance, () => writeJsonAtomic(files.instance, instance));
    file.write();
    const stopped = server.stopped.then(() => {
      file.stop();
      forget(files, instance);
      lock.release();
    });
    return { instance, adminToken, stopped, stop: () => server.stop().then(() => stopped) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** `rouse server init`: the database with its tables and its first administrator, or a new one, without a server. */
export async function initServer({
  files,
  databaseUrl,
  clock,
  log,
  replaceAdminToken = false,
}: Pick<RunServerOptions, 'files' | 'databaseUrl' | 'clock' | 'log'> & {
  replaceAdminToken?: boolean;
}): Promise<AdminToken> {
  ensurePrivateDirectory(files.directory);
  const sql = await openDatabase({ ...databaseOf(files, databaseUrl), clock, log });
  try {
    return await (replaceAdminToken ? makeAdminToken : ensureAdminToken)(sql, files.adminToken);
  } finally {
    await sql.close();
  }
}

/** The server of this home must not run meanwhile. */
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

/** A backup of the embedded database of a server that does not run. */
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
  const sql = await openDatabase({ ...databaseOf(files, undefined), clock, log });
  return { stream: await backupEmbedded(sql, files.database), close: () => sql.close() };
}

/** A proxy on this machine speaks for strangers, under whatever account it runs: then the owner, too, shows a token. */
function peerCheck(env: RunServerOptions['env'], proxies: TrustedProxies): RunServerOptions['env'] {
  const isBeside = proxies.has('127.0.0.1') || proxies.has('::1');
  return isBeside ? { ...env, ROUSE_PEER_CHECK: 'token' } : env;
}

function tellRenewal(log: Log): TlsFiles['renewed'] {
  return (problem) =>
    problem === undefined
      ? log.info('the certificate was read again')
      : log.error('the certificate was changed and cannot be used; the one before stays', { cause: problem });
}

/** Another one at each start: it ends with the server. */
function makeOwnerToken(files: ServerFiles): string {
  const token = randomHex(32);
  writeFileAtomic(files.ownerToken, `${token}\n`, { mode: 0o600 });
  return token;
}

/** A release carries an initialised embedded database beside its programs, so that the first start is quick. */
const databaseOf = (files: ServerFiles, databaseUrl: string | undefined) => ({
  databaseUrl,
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
  if (stored?.instance_id !== instance_id) return;
  rmSync(files.instance, { force: true });
  rmSync(files.ownerToken, { force: true });
}

function alreadyRunning(files: ServerFiles): Error {
  const running = runningServer(files);
  const where = running ? ` on ${running.host}:${running.port} (pid ${running.pid})` : '';
  return conflict(`a fleet server of this home is already running${where}`, {
    hint: 'see "rouse server status"; another one needs another ROUSE_HOME',
    facts: { cause: 'locked' },
  });
}
