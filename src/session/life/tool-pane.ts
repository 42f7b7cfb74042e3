import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  type Clock,
  childrenOf,
  commandLineOf,
  ensurePrivateDirectory,
  identifyProcess,
  isProcessAlive,
  type ProcessIdentity,
  processStatus,
  randomHex,
  readIfExists,
  shellQuote,
  shellWords,
  signalProcess,
  unavailable,
  writeFileAtomic,
} from '../../base/index.ts';
import { relaunchCommand } from '../../domain/index.ts';
import { DRAIN_TERMINAL, KEEP_TERMINAL_MODES } from '../../tmux/index.ts';
import { overlayHomeOf, type SessionAdditions } from '../../tools/index.ts';
import { NEVER_IN_A_PANE, writeEnvironmentFile } from '../equip/programs.ts';
import { waitForEnd } from '../gateway/detach.ts';
import type { SessionContext } from '../session-context.ts';
import type { SessionTmux } from '../session-tmux.ts';

interface PaneProgram {
  /** The session's launch directory. */
  directory: string;
  title: string;
  workdir: string;
  command: string[];
  env: Record<string, string>;
  /** Variables that the tmux server may have but this tool must not: marks of another instance of it. */
  without?: readonly string[] | undefined;
}

/** The files with the tool's process id and, after its end, its exit code. Each start has new names. */
export interface ToolTrace {
  directory: string;
  pidFile: string;
  exitFile: string;
}

const ENV_FILE = 'env';
const TRACE = /^tool-[0-9a-f]+\.(pid|exit)$/;

/**
 * Writes what the agent's pane runs and returns its command. `start.sh` stays as the pane's process. It runs the tool;
 * when the tool has ended, it prints that and becomes a login shell, so that the window remains and shows that the tool
 * is gone. `run.sh` unsets variables that belong to others, reads the environment, removes its file, and becomes the
 * tool.
 */
export function writePaneProgram(program: PaneProgram): { command: string[]; trace: ToolTrace } {
  const { directory } = program;
  const place = (name: string): string => path.join(directory, name);
  const write = (name: string, text: string): void =>
    writeFileAtomic(place(name), text, { mode: 0o700, durable: false });
  for (const old of fs.readdirSync(directory).filter((name) => TRACE.test(name))) fs.rmSync(place(old));
  const stem = `tool-${randomHex(4)}`;
  const trace = { directory, pidFile: place(`${stem}.pid`), exitFile: place(`${stem}.exit`) };
  writeEnvironmentFile(place(ENV_FILE), program.env);
  write('run.sh', runScript(program, place(ENV_FILE), trace));
  write('start.sh', startScript(program, place('run.sh'), trace));
  return { command: ['/bin/sh', place('start.sh')], trace };
}

function runScript({ command, without = [] }: PaneProgram, envFile: string, { pidFile }: ToolTrace): string {
  const env = shellQuote(envFile);
  return `#!/bin/sh
unset ${shellWords([...NEVER_IN_A_PANE, ...without])}
. ${env}
command -p rm -f ${env}
umask_before=$(umask)
umask 077
printf '%s\\n' "$$" >${shellQuote(`${pidFile}.new`)} && command -p mv -f ${shellWords([`${pidFile}.new`, pidFile])}
umask "$umask_before"
unset umask_before
exec ${shellWords(command)}
`;
}

/**
 * The trap keeps this shell alive when Ctrl-C ends the tool; unlike an ignored signal, a handler is not inherited. Under
 * job control the tool is the foreground group of the terminal, as tmux and `ps` then show it, and a tool that suspends
 * itself is continued, because no one can type `fg`. Bash cannot do that in a script, so there the tool stays in this
 * shell's group, where Ctrl-Z has no effect. Messages of the shell about its jobs ("Stopped") would appear on the tool's
 * screen, so the shell's standard error is closed while the tool runs.
 */
function startScript({ title, workdir }: PaneProgram, runFile: string, { exitFile }: ToolTrace): string {
  return `#!/bin/sh
trap : INT QUIT
cd ${shellQuote(workdir)} || exit 1
${KEEP_TERMINAL_MODES}
exec 3>&2 2>/dev/null
[ -n "$BASH_VERSION" ] || set -m
/bin/sh ${shellQuote(runFile)} 2>&3 3>&-
code=$?
while [ "$code" -ge 147 ] && [ "$code" -le 150 ]; do
  fg >/dev/null 2>&1
  code=$?
done
set +m
exec 2>&3 3>&-
(umask 077; printf '%s\\n' "$code" >${shellQuote(`${exitFile}.new`)} && command -p mv -f ${shellWords([`${exitFile}.new`, exitFile])})
${DRAIN_TERMINAL}
printf '\\r\\n[rouse] %s ended with code %s. This is a shell now; "%s" starts the tool again.\\r\\n' ${shellQuote(title)} "$code" ${shellQuote(relaunchCommand(title))}
trap - INT QUIT
[ -x "$SHELL" ] || SHELL=/bin/sh
exec "$SHELL" -l
`;
}

/** A pane without a tool: the surface of a headless agent, in which its turns run one by one. */
export function idleShell(env: NodeJS.ProcessEnv): string[] {
  return [env['SHELL'] || '/bin/sh', '-l'];
}

const TIMEOUT_MS = 10_000;
/** A tool that cannot start prints why and ends. One that still runs after this time has started. */
const SETTLE_MS = 200;

/**
 * Waits until the tool itself is in the pane's foreground (the script has written its process id and become the tool) and
 * stays there for a moment. Throws early, with the exit code, if the tool has ended.
 */
export function waitForTool(context: SessionContext, trace: ToolTrace): Promise<ProcessIdentity> {
  return new Promise((resolve, reject) => {
    const { clock } = context;
    const deadline = clock.monotonic() + TIMEOUT_MS;
    let cancel: (() => void) | undefined;
    let seenAt: number | undefined;
    const watcher = fs.watch(trace.directory, () => look());
    watcher.on('error', () => {});
    const done = (settle: () => void): void => {
      watcher.close();
      cancel?.();
      settle();
    };
    const look = (): void => {
      cancel?.();
      const exit = readIfExists(trace.exitFile)?.trim();
      const tool = exit === undefined ? startedTool(trace) : undefined;
      if (tool) seenAt ??= clock.monotonic();
      if (exit !== undefined) done(() => reject(endedAtOnce(exit)));
      else if (tool && clock.monotonic() - seenAt! >= SETTLE_MS) done(() => resolve(tool));
      else if (clock.monotonic() >= deadline || context.signal?.aborted) done(() => reject(tooLate()));
      else cancel = clock.after(20, look);
    };
    look();
  });
}

/** The process that the script became, once it is no longer the script and is in the foreground. */
function startedTool({ directory, pidFile }: ToolTrace): ProcessIdentity | undefined {
  const pid = Number(readIfExists(pidFile)?.trim());
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  try {
    const identity = identifyProcess(pid);
    const status = processStatus(pid);
    if (!identity || !status || status.state === 'ended') return undefined;
    const isScript = commandLineOf(pid)[1] === path.join(directory, 'run.sh');
    return !isScript && status.processGroup === status.foregroundGroup ? identity : undefined;
  } catch {
    return undefined; // Checked again in a moment.
  }
}

function endedAtOnce(code: string): Error {
  return unavailable(`the tool ended at once with code ${code}`, {
    facts: { cause: 'tool_ended', exit_code: Number(code) },
  });
}

function tooLate(): Error {
  return unavailable(`the tool was not running after ${TIMEOUT_MS / 1000} s`, {
    facts: { cause: 'tool_timeout' },
  });
}

/** How long a tool may take to finish after its terminal is gone. */
const PATIENCE_MS = 3000;

/**
 * Closes exactly this tmux session and makes sure that what ran in its panes ends, because some tools outlive their
 * terminal. The processes are recorded with their start times before anything is closed, so no other is signalled. A
 * window that is also linked to another session stays there, with what runs in it.
 */
export async function endSession(tmux: SessionTmux, session: string, clock: Clock): Promise<boolean> {
  const panes = await tmux.panes(session);
  const noted = panes.map((pane) => ({ id: pane.paneId, processes: descendants(pane.pid) }));
  const existed = panes.length > 0 || (await tmux.hasSession(session));
  await tmux.killSession(session);
  const alive = await tmux.paneIds();
  const closed = noted.filter(({ id }) => !alive.has(id));
  await endAll(
    closed.flatMap(({ processes }) => processes),
    clock,
  );
  return existed;
}

/** A process and all its descendants, deepest last. */
export function descendants(pid: number): ProcessIdentity[] {
  const own = identifyProcess(pid);
  return own ? [own, ...childrenOf(pid).flatMap(descendants)] : [];
}

/** The terminal has already sent a hang-up. Asks the processes to end, then kills them. */
export async function endAll(processes: ProcessIdentity[], clock: Clock): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await Promise.all(
      processes.map((each) => waitForEnd(each, signal === 'SIGTERM' ? 500 : PATIENCE_MS, clock)),
    );
    for (const each of processes.filter(isProcessAlive)) signalProcess(each, signal);
  }
  await Promise.all(processes.map((each) => waitForEnd(each, PATIENCE_MS, clock)));
}

/** Writes a session's additions for its tool. If the tool has replaced a link by a file of its own, that file stays. */
export function writeAdditions({ files, links = [] }: Pick<SessionAdditions, 'files' | 'links'>): void {
  for (const { path: file, content, mode = 0o600 } of files) {
    ensurePrivateDirectory(path.dirname(file));
    writeFileAtomic(file, content, { mode, durable: false });
  }
  for (const { path: link, target } of links) {
    ensurePrivateDirectory(path.dirname(link));
    if (!fs.lstatSync(link, { throwIfNoEntry: false })) fs.symlinkSync(target, link);
  }
}

/** A home of the session that replaced the tool's own, as the launch recorded it. */
interface OwnHome {
  ours: string;
  theirs: string;
  /** Our file there is a copy of the person's. */
  file: string;
}

/**
 * Removes the home that replaced the tool's own. Files that the tool made there and the person does not have, such as a
 * first login, are copied to the person's home. Files that both have stay as the person's.
 */
export function endOwnHome(launchDir: string, noted: unknown): void {
  const home = overlayHomeOf(launchDir);
  if (!fs.existsSync(home)) return;
  try {
    if (isOwnHome(noted, home)) bringHome(noted);
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

function bringHome({ ours, theirs, file }: OwnHome): void {
  for (const entry of fs.readdirSync(ours, { withFileTypes: true })) {
    const target = path.join(theirs, entry.name);
    if (entry.isSymbolicLink() || entry.name === file || fs.existsSync(target)) continue;
    fs.mkdirSync(theirs, { recursive: true, mode: 0o700 });
    fs.cpSync(path.join(ours, entry.name), target, { recursive: true, verbatimSymlinks: true });
  }
}

function isOwnHome(noted: unknown, home: string): noted is OwnHome {
  const { ours, theirs, file } = (noted ?? {}) as Partial<Record<keyof OwnHome, unknown>>;
  return (
    typeof ours === 'string' &&
    typeof theirs === 'string' &&
    typeof file === 'string' &&
    (ours === home || ours.startsWith(`${home}${path.sep}`)) &&
    fs.existsSync(ours)
  );
}
