import { execFile, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import {
  type Clock,
  environmentOf,
  errnoOf,
  identifyProcess,
  isProcessAlive,
  type ProcessIdentity,
  readIfExists,
  runningPids,
  signalProcess,
  sleep,
} from '../base/index.ts';
import { packageRoot } from '../session/index.ts';

const PREFIX = 'rouse-demo-';
const OWNER = 'demo-owner.json';
const PATIENCE_MS = 5000;

export const tmuxSocketIn = (directory: string): string => path.join(directory, 'tmux.sock');

/** A directory for one demo. It records its owner, so that a later demo can see that it is no longer used. */
export function makePlace(): string {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), PREFIX));
  fs.writeFileSync(path.join(directory, OWNER), JSON.stringify(identifyProcess(process.pid)));
  return directory;
}

/** Directories of demos that were killed together with their watcher. */
export function leftPlaces(): string[] {
  return fs
    .readdirSync(os.tmpdir())
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => path.join(os.tmpdir(), name))
    .filter((directory) => isOurs(directory) && ownerIsGone(directory));
}

/** Any account can create a directory with that name in /tmp; only our own are touched. */
function isOurs(directory: string): boolean {
  if (!path.basename(directory).startsWith(PREFIX)) return false;
  const stat = fs.lstatSync(directory, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
}

/** A directory without an owner may just be in the making. */
function ownerIsGone(directory: string): boolean {
  try {
    const owner = JSON.parse(readIfExists(path.join(directory, OWNER)) ?? '') as ProcessIdentity;
    return !isProcessAlive(owner);
  } catch {
    return false;
  }
}

/**
 * Ends everything that runs in a demo's directory, and removes the directory. Every process of a demo has it as ROUSE_HOME,
 * so processes that were not recorded yet are found as well. It can be repeated after a kill.
 */
export async function clearPlace(directory: string, clock: Clock): Promise<void> {
  if (!isOurs(directory)) return;
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await endTmux(tmuxSocketIn(directory));
    const until = clock.monotonic() + PATIENCE_MS;
    for (const found of processesIn(directory)) signalProcess(found, signal);
    while (processesIn(directory).length > 0 && clock.monotonic() < until) await sleep(clock, 50);
  }
  fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

export async function endTmux(socket: string): Promise<void> {
  if (fs.existsSync(socket))
    await promisify(execFile)('tmux', ['-S', socket, 'kill-server']).catch(() => undefined);
}

function processesIn(directory: string): ProcessIdentity[] {
  const wanted = `ROUSE_HOME=${directory}`;
  return runningPids().flatMap((pid) => {
    const isOfIt = pid !== process.pid && readable(pid).includes(wanted);
    const found = isOfIt ? identifyProcess(pid) : undefined;
    return found && isProcessAlive(found) ? [found] : [];
  });
}

/** Empty for a process that has ended or belongs to another account. Processes of a demo can always be read. */
function readable(pid: number): string[] {
  try {
    return environmentOf(pid);
  } catch (error) {
    if (errnoOf((error as Error).cause) === 'EACCES') return [];
    throw error;
  }
}

/**
 * Starts a shell that reads from a pipe of this process. However this process ends, the shell sees the end of the pipe and
 * clears the demo's directory if it still exists. A shell, because it costs nothing while it waits.
 */
export function watchOver(directory: string, env: NodeJS.ProcessEnv): void {
  const script = 'read -r _; [ -d "$1" ] && exec "$2" "$3" demo --clear "$1"';
  const program = path.join(packageRoot(), 'dist', 'rouse.cjs');
  const watcher = spawn('sh', ['-c', script, 'rouse-demo', directory, process.execPath, program], {
    // In a session of its own: what ends the demo must not end the watcher.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env,
  });
  watcher.on('error', () => {});
  watcher.stdin.on('error', () => {});
  watcher.unref();
}
