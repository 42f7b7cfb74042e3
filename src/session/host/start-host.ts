import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  ensurePrivateDirectory,
  identifyChild,
  isProcessAlive,
  lockFile,
  type ProcessIdentity,
  readIfExists,
  sha256,
  sleep,
  unavailable,
  writeFileAtomic,
} from '../../base/index.ts';
import { HOST_JOURNAL_FD, hostFiles, hostsDirectory } from '../../wire/files/host-files.ts';
import { keeperScript, keepingOf } from '../equip/keeper-script.ts';
import { programWords } from '../equip/program-path.ts';
import type { SessionContext } from '../session-context.ts';
import { askHost } from './ask-host.ts';
import { hurryKeeper } from './hurry-keeper.ts';

const READY_TIMEOUT_MS = 10_000;

/**
 * Starts a gateway inside the host of this program, and the host before, where none lives. A program that was upgraded is
 * another one, with a host of its own: gateways move there one by one, and the older host ends with its last one.
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
    const said = await askHost(directory, { do: 'start', ...start }, READY_TIMEOUT_MS);
    if (typeof said === 'object') {
      if (!said.ok)
        throw unavailable(`the host refused the gateway: ${said.message}`, {
          facts: { cause: 'host_refused' },
        });
      return identifyChild(said.pid);
    }
    if (said === 'silent' || context.clock.monotonic() > deadline) throw silent(directory);
    await startHost(context, directory, program, start.env);
  }
}

/** Where the host of this program is, or would be. */
export function hostDirectory(context: SessionContext, env: Record<string, string | undefined>): string {
  const program = context.gatewayProgram ?? programWords('gateway');
  return path.join(hostsDirectory(context.settings.runtimeDir), hostName(program, env));
}

/** One program, one host: its words, its build, and the tools it was told to know. */
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
      if (typeof (await askHost(directory, { do: 'status' }, 2000)) === 'object') return;
      if (!isProcessAlive(parent)) break;
      await sleep(clock, pause);
    }
    // It had nothing left to hold, and has ended with its host.
    if (keeper && !isProcessAlive(keeper)) return;
    throw silent(directory);
  } finally {
    lock.release();
  }
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
