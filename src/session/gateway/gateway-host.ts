import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import {
  type Clock,
  childrenOf,
  ensurePrivateDirectory,
  errnoOf,
  identifyChild,
  identifyProcess,
  isProcessAlive,
  lockFile,
  type ProcessIdentity,
  processStatus,
  readIfExists,
  sha256,
  signalProcess,
  sleep,
  socketAddress,
  unavailable,
  writeFileAtomic,
} from '../../base/index.ts';
import {
  HOST_JOURNAL_FD,
  type HostFiles,
  hostFiles,
  hostsDirectory,
  noticeFiles,
} from '../../wire/files/host-files.ts';
import type { HostAnswer, HostRequest } from '../../wire/host.ts';
import { keeperScript, keepingOf } from '../equip/keeper-script.ts';
import { programWords } from '../equip/programs.ts';
import { readKeeper } from '../records/live-gateway.ts';
import type { SessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';

const READY_TIMEOUT_MS = 10_000;

/**
 * Starts a gateway inside the host of this program, and that host first if none runs. An upgraded program has a host of
 * its own: gateways move there one by one, and the older host ends with its last one.
 */
export async function startInHost(
  context: SessionContext,
  start: { root: string; words: string[]; env: Record<string, string> },
): Promise<ProcessIdentity> {
  const program = context.gatewayProgram ?? programWords('gateway');
  const directory = hostDirectory(context, start.env);
  ensurePrivateDirectory(directory);
  const deadline = context.clock.monotonic() + READY_TIMEOUT_MS;
  for (;;) {
    const reply = await askHost(directory, { do: 'start', ...start }, READY_TIMEOUT_MS);
    if (typeof reply === 'object') {
      if (!reply.ok)
        throw unavailable(`the host refused the gateway: ${reply.message}`, {
          facts: { cause: 'host_refused' },
        });
      return identifyChild(reply.pid);
    }
    if (reply === 'silent' || context.clock.monotonic() > deadline) throw silent(directory);
    await startHost(context, directory, program, start.env);
  }
}

/** The directory of this program's host, running or not. */
export function hostDirectory(context: SessionContext, env: Record<string, string | undefined>): string {
  const program = context.gatewayProgram ?? programWords('gateway');
  return path.join(hostsDirectory(context.settings.runtimeDir), hostName(program, env));
}

/** One host per program: its command, its build and its configured tools. */
function hostName(program: readonly string[], env: Record<string, string | undefined>): string {
  const built = fs.statSync(program.at(-1)!, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const text = JSON.stringify([program, built, env['ROUSE_TOOLS'] ?? '']);
  return sha256(text).slice(0, 12);
}

async function startHost(
  context: SessionContext,
  directory: string,
  program: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  const files = hostFiles(directory);
  const { clock, signal } = context;
  const lock = await lockFile(files.startLock, {
    timeoutMs: READY_TIMEOUT_MS,
    clock,
    ...(signal && { signal }),
  });
  try {
    if (typeof (await askHost(directory, { do: 'status' }, 2000)) === 'object') return;
    context.progress?.('starting the host of the gateways');
    const keeper = hurryKeeper(files);
    const parent = keeper ?? (await spawnHost(context, directory, program, env));
    const deadline = clock.monotonic() + READY_TIMEOUT_MS;
    for (let pause = 5; clock.monotonic() < deadline; pause = Math.min(50, pause * 1.5)) {
      if (typeof (await askHost(directory, { do: 'status' }, 2000)) === 'object')
        return await moveNotices(context, directory);
      if (!isProcessAlive(parent)) break;
      await sleep(clock, pause);
    }
    // It had no gateways left and has ended with its host.
    if (keeper && !isProcessAlive(keeper)) return;
    throw silent(directory);
  } finally {
    lock.release();
  }
}

const NOTICES_PATIENCE_MS = 15_000;

/** The newest host sends the notices of its home, so that an older one can end with its last gateway. */
async function moveNotices({ settings }: SessionContext, directory: string): Promise<void> {
  if (!fs.existsSync(noticeFiles(settings.runtimeDir).outbox)) return;
  for (const other of hostDirectories(settings.runtimeDir))
    if (other !== directory) await askHost(other, { do: 'notices', leave: true }, NOTICES_PATIENCE_MS);
  await askHost(directory, { do: 'notices' }, NOTICES_PATIENCE_MS);
}

/** Starts the host of this program if none runs, with the notices of this home. It looks at the subscriptions again. */
export async function startNotices(context: SessionContext): Promise<void> {
  const program = context.gatewayProgram ?? programWords('gateway');
  const env = Object.fromEntries(Object.entries(context.env).filter(([, value]) => value !== undefined));
  const directory = hostDirectory(context, context.env);
  ensurePrivateDirectory(directory);
  const reply = await askHost(directory, { do: 'notices' }, NOTICES_PATIENCE_MS);
  if (reply === 'silent') throw silent(directory);
  if (reply === 'absent') await startHost(context, directory, program, env as Record<string, string>);
  else await moveNotices(context, directory);
}

async function spawnHost(
  context: SessionContext,
  directory: string,
  program: readonly string[],
  env: Record<string, string>,
): Promise<ProcessIdentity> {
  const files = hostFiles(directory);
  const keeping = keepingOf(context.env);
  const home = context.env['ROUSE_HOME'] || path.dirname(context.settings.runtimeDir);
  const words = [
    ...program,
    ...['--rouse-home', home, '--host-directory', directory],
    ...['--restarts-of-each', String(keeping.restarts)],
    ...['--first-pause-seconds', String(keeping.firstPauseSeconds)],
  ];
  fs.rmSync(files.keeper, { force: true });
  fs.rmSync(files.currentInstance, { force: true });
  if (keeping.restarts > 0) {
    const script = keeperScript(files, words, keeping, HOST_JOURNAL_FD);
    writeFileAtomic(files.keeperScript, script, { mode: 0o700, durable: false });
  }
  const [first, ...rest] = keeping.restarts > 0 ? ['/bin/sh', files.keeperScript] : words;
  const errors = fs.openSync(files.errors, 'a', 0o600);
  try {
    const child = spawn(first!, rest, { cwd: '/', detached: true, env, stdio: ['ignore', 'ignore', errors] });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
    return identifyChild(child.pid!);
  } catch (error) {
    throw unavailable('the host of the gateways cannot be started', {
      cause: error,
      facts: { cause: 'spawn_failed' },
    });
  } finally {
    fs.closeSync(errors);
  }
}

function silent(directory: string): Error {
  const { errors } = hostFiles(directory);
  const words = (readIfExists(errors) ?? '').trim().split('\n').slice(-3).join('\n');
  return unavailable(`the host of the gateways does not answer${words ? `: ${words}` : ''}`, {
    hint: `see ${errors}; "rouse host stop" ends it`,
    facts: { cause: 'host_silent' },
  });
}

/** `absent`: no host listens there. `silent`: one listens but did not answer in time. */
type HostReply = HostAnswer | 'absent' | 'silent';

/** Sends one request to the host of a directory. */
export function askHost(directory: string, request: HostRequest, timeoutMs: number): Promise<HostReply> {
  const { socket } = hostFiles(directory);
  if (!fs.existsSync(socket)) return Promise.resolve('absent');
  const address = socketAddress(socket);
  return new Promise<HostReply>((resolve) => {
    const connection = net.connect(address.path);
    let text = '';
    const timer = setTimeout(() => done('silent'), timeoutMs);
    const done = (reply: HostReply): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(reply);
    };
    connection.setEncoding('utf8');
    connection.on('connect', () => connection.write(`${JSON.stringify(request)}\n`));
    connection.on('data', (chunk: string) => {
      text += chunk;
      if (text.endsWith('\n')) done(JSON.parse(text) as HostAnswer);
    });
    connection.on('error', (error) => done(errnoOf(error) === 'EAGAIN' ? 'silent' : 'absent'));
    // It ended between request and reply.
    connection.on('close', () => done('absent'));
  }).finally(address.close);
}

const KILL_PATIENCE_MS = 2000;

/** The directory of the host with this session's gateway; undefined if it is in none. */
export function hostOf(paths: SessionPaths): string | undefined {
  return readKeeper(paths)?.hostDirectory;
}

/**
 * Ends one gateway in a host. A host that does not answer is of no use: it is killed, its keeper restarts it, and the
 * next one loads all gateways but this.
 */
export async function endInHost(
  paths: SessionPaths,
  directory: string,
  { handOver, patienceMs, clock }: { handOver: boolean; patienceMs: number; clock: Clock },
): Promise<'already' | 'asked' | 'killed' | 'nothing'> {
  const request = { do: 'end', root: paths.gateway, hand_over: handOver } as const;
  const reply = await askHost(directory, request, patienceMs);
  if (reply === 'silent' || (reply === 'absent' && hostLives(directory)))
    return killHost(paths, directory, clock);
  // A host that is about to restart would load it again.
  if (reply === 'absent') {
    writeFileAtomic(paths.letGo, '', { durable: false });
    hurryKeeper(hostFiles(directory));
  }
  fs.rmSync(paths.keeper, { force: true });
  return typeof reply === 'object' && reply.ok && reply.held ? 'asked' : 'already';
}

function hostLives(directory: string): boolean {
  const host = readHost(directory);
  return host !== undefined && isProcessAlive(host.identity);
}

async function killHost(paths: SessionPaths, directory: string, clock: Clock): Promise<'killed' | 'nothing'> {
  const host = readHost(directory);
  if (!host || host.identity.startTicks === null) return 'nothing';
  writeFileAtomic(paths.letGo, '', { durable: false });
  signalProcess(host.identity, 'SIGKILL');
  const deadline = clock.monotonic() + KILL_PATIENCE_MS;
  while (isProcessAlive(host.identity)) {
    if (clock.monotonic() > deadline) return 'nothing';
    await sleep(clock, 10);
  }
  fs.rmSync(paths.keeper, { force: true });
  return 'killed';
}

export interface RecordedHost {
  directory: string;
  identity: ProcessIdentity;
  startedAtUtc: string;
}

/** The directories of all hosts, running or not. */
export function hostDirectories(runtimeDir: string): string[] {
  const directory = hostsDirectory(runtimeDir);
  try {
    return fs.readdirSync(directory).map((name) => path.join(directory, name));
  } catch {
    return [];
  }
}

/** A damaged record counts as missing. */
export function readHost(directory: string): RecordedHost | undefined {
  try {
    const record = JSON.parse(readIfExists(hostFiles(directory).currentInstance) ?? 'null') as Record<
      string,
      unknown
    > | null;
    const pid = record?.['pid'];
    const ticks = record?.['pid_start_ticks'];
    if (!record || !Number.isInteger(pid)) return undefined;
    const startTicks = Number.isInteger(ticks) ? (ticks as number) : null;
    return {
      directory,
      identity: { pid: pid as number, startTicks, bootId: String(record['boot_id']) },
      startedAtUtc: String(record['started_at_utc']),
    };
  } catch {
    return undefined;
  }
}

/** Makes a keeper that pauses restart its host or gateway at once. Undefined if there is no keeper. */
export function hurryKeeper(files: Pick<HostFiles, 'keeper'>): ProcessIdentity | undefined {
  const keeper = readKeeper(files);
  if (!keeper || keeper.gaveUp || !isProcessAlive(keeper.identity)) return undefined;
  for (const pid of childrenOf(keeper.identity.pid)) {
    const pause = processStatus(pid)?.command === 'sleep' && identifyProcess(pid);
    if (pause) signalProcess(pause, 'SIGTERM');
  }
  return keeper.identity;
}
