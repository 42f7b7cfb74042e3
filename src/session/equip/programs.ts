import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  bootId,
  type Clock,
  childrenOf,
  namesOfProcess,
  type ProcessIdentity,
  processStatus,
  shellQuote,
  unavailable,
  writeFileAtomic,
} from '../../base/index.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';

/** The command words of a program of this installation, such as `gateway`: Node and the built file. */
export function programWords(name: string): string[] {
  const built = path.join(packageRoot(), 'dist', name);
  const file = [`${built}.cjs`, `${built}.js`].find((each) => fs.existsSync(each));
  if (file === undefined) {
    throw unavailable(`${built}.js is missing`, {
      hint: 'run "npm run build"',
      facts: { cause: 'program_missing', file: `${built}.js` },
    });
  }
  return [process.execPath, file];
}

/** Where this package is installed, whichever of its files this code was bundled into. */
export function packageRoot(): string {
  let directory = path.dirname(fileURLToPath(import.meta.url));
  while (!fs.existsSync(path.join(directory, 'package.json'))) {
    const parent = path.dirname(directory);
    if (parent === directory) throw unavailable('the installation of Rouse cannot be found');
    directory = parent;
  }
  return directory;
}

interface FoundTool {
  identity: ProcessIdentity;
  name: string;
  /** It is in the foreground of its terminal. */
  foreground: boolean;
}

/** Finds the first process with one of these names, level by level, starting with the pane's own process. */
export function findTool(panePid: number, names: readonly string[]): FoundTool | undefined {
  let level = [panePid];
  const seen = new Set<number>();
  while (level.length > 0) {
    for (const pid of level) {
      seen.add(pid);
      const name = namesOfProcess(pid).find((each) => names.includes(each));
      if (name !== undefined) return describe(pid, name);
    }
    level = level.flatMap(childrenOf).filter((pid) => !seen.has(pid));
  }
  return undefined;
}

function describe(pid: number, name: string): FoundTool | undefined {
  const status = processStatus(pid);
  if (!status || status.state === 'ended') return undefined;
  const identity = { pid, startTicks: status.startTicks, bootId: bootId() };
  return { identity, name, foreground: status.processGroup === status.foregroundGroup };
}

/** Variables that belong to the caller's terminal or shell, or that a shell cannot set. */
const OF_THE_TERMINAL = [
  'TMUX',
  'TMUX_PANE',
  'TERM',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'COLUMNS',
  'LINES',
  'SHLVL',
  'PWD',
  'OLDPWD',
  '_',
  'IFS',
  'UID',
  'EUID',
  'PPID',
  'BASHOPTS',
  'SHELLOPTS',
  'BASH_VERSINFO',
];

/** Variables that name another agent's session and its gateway. */
const OF_A_SESSION = [
  VARIABLE.manifestPath,
  VARIABLE.agentId,
  VARIABLE.agentDefDir,
  VARIABLE.gatewayHost,
  VARIABLE.gatewayPort,
  VARIABLE.gatewayState,
  VARIABLE.gatewayProtocol,
  VARIABLE.executionMode,
  VARIABLE.windowId,
  VARIABLE.windowIndex,
  VARIABLE.paneId,
  'ROUSE_CLOCK_SHIFT_FILE',
  'ROUSE_CRASH_AT',
];

/** Never passed to a program that is started in a pane. The last names the person's token; an agent has its own. */
export const NEVER_IN_A_PANE: readonly string[] = [...OF_A_SESSION, 'ROUSE_FLEET_TOKEN_FILE'];

const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The caller's environment for a program that is started for it. */
export function handedEnvironment(
  env: NodeJS.ProcessEnv,
  dropped: Iterable<string> = [],
): Record<string, string> {
  const drop = new Set([...OF_THE_TERMINAL, ...NEVER_IN_A_PANE, ...dropped]);
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && SHELL_NAME.test(entry[0]) && !drop.has(entry[0]),
    ),
  );
}

/**
 * An environment for a program in a tmux pane. tmux shows its own environment and every argument to anyone who asks, so
 * credentials go through a file that only its owner can read. The pane's first command reads and removes it.
 */
export function writeEnvironmentFile(file: string, env: Record<string, string>): void {
  const lines = Object.entries(env).map(([name, value]) => `export ${name}=${shellQuote(value)}\n`);
  writeFileAtomic(file, lines.join(''), { mode: 0o600, durable: false });
}

/** Harmless variables, for a program that outlives us and shows its environment: the tmux server. */
const HARMLESS =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|TMUX|TMUX_TMPDIR|TMPDIR|DISPLAY|WAYLAND_DISPLAY|XDG_[A-Z_]+|SSH_AUTH_SOCK|SSH_CONNECTION|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS)$/;

/** The environment of a tmux server of our own, which shows it to every later session. */
export function harmlessEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => HARMLESS.test(name)));
}

/** The environment of the default tmux server, which is the person's: everything except pointers to an agent. */
export function serverEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OF_A_SESSION.includes(name)));
}

/** A pane reads and removes its environment within milliseconds of starting. */
const LEFT_BEHIND_MS = 60_000;

/**
 * Removes environment files of panes that never started because their starter was killed. They hold credentials and are
 * never read again.
 */
export function sweepEnvironmentFiles(runtimeDir: string, clock: Clock): void {
  for (const backend of names(path.join(runtimeDir, 'sessions'))) {
    for (const session of names(path.join(runtimeDir, 'sessions', backend))) {
      const root = path.join(runtimeDir, 'sessions', backend, session);
      removeOld(path.join(root, 'launch', 'env'), clock);
      removeOld(path.join(root, 'gateway', 'run', 'env'), clock);
    }
  }
}

function removeOld(file: string, clock: Clock): void {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat && clock.now().getTime() - stat.mtimeMs > LEFT_BEHIND_MS) fs.rmSync(file, { force: true });
}

function names(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}
