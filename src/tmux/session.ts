import { invalid } from '../base/index.ts';
import { requireCount, requirePaneId, requireSessionName, requireVariable, sessionTarget } from './names.ts';
import { tmuxError, tmuxProblemOf } from './problem.ts';
import { count, type RecordOf, readRecord, recordFormat, text } from './record.ts';
import type { Runner } from './runner.ts';
import { commandLine, formatLiteral } from './words.ts';

const CREATED = {
  sessionId: ['session_id', text],
  windowId: ['window_id', text],
  windowIndex: ['window_index', count],
  paneId: ['pane_id', text],
  panePid: ['pane_pid', count],
} as const;

/** The ids of a new session, window and pane, which never change. */
export type Created = RecordOf<typeof CREATED>;

export interface NewProcess {
  cwd: string;
  /** The exact argv, without a shell. Default: the person's shell. */
  command?: readonly string[];
  /** Additions to the environment, passed on standard input, never in an argv that `ps` shows. */
  env?: Readonly<Record<string, string>>;
}

export interface NewSession extends NewProcess {
  name: string;
  width: number;
  height: number;
  windowName?: string;
  /** Keep the pane, with its last screen and exit status, when the process ends. */
  remainOnExit?: boolean;
}

/**
 * Creates a detached session whose first window has index 0 and keeps it, whatever the person's `base-index` and
 * `renumber-windows` are: both are overridden for this session only. It is one step of the server, so the session never
 * exists in another state. A server with mistakes in its configuration shows them in a mode of its first pane that would
 * swallow keys; the new pane leaves that mode.
 */
export async function newSession(runner: Runner, options: NewSession): Promise<Created> {
  const name = requireSessionName(options.name);
  const at = sessionTarget(name);
  const size = [
    '-x',
    String(positive(options.width, 'width')),
    '-y',
    String(positive(options.height, 'height')),
  ];
  const window = options.windowName === undefined ? [] : ['-n', labelLiteral(options.windowName)];
  const output = await runner.run(
    [
      ['new-session', '-d', '-s', name, ...size, ...window, ...processArgs(options)],
      ['set-option', '-t', at, 'base-index', '0'],
      ['set-option', '-t', at, 'renumber-windows', 'off'],
      [
        'if-shell',
        '-F',
        '-t',
        at,
        '#{window_index}',
        commandLine(['move-window', '-d', '-s', at, '-t', `${at}0`]),
      ],
      ...(options.remainOnExit ? [['set-option', '-w', '-t', at, 'remain-on-exit', 'on']] : []),
      ['if-shell', '-F', '-t', at, '#{pane_in_mode}', commandLine(['send-keys', '-X', '-t', at, 'cancel'])],
      showCreated(at),
    ],
    { secret: options.env !== undefined },
  );
  return readRecord(CREATED, output);
}

export interface NewWindow extends NewProcess {
  session: string;
  name: string;
  remainOnExit?: boolean;
}

/** Opens a window after the last one, so never at index 0, and without changing the focus. */
export async function newWindow(runner: Runner, options: NewWindow): Promise<Created> {
  const at = sessionTarget(options.session);
  const place = ['-d', '-a', '-t', `${at}{end}`, '-n', labelLiteral(options.name)];
  const print = ['-P', '-F', recordFormat(CREATED)];
  const keep = ['set-option', '-w', '-t', `${at}{end}`, 'remain-on-exit', 'on'];
  const output = await runner.run(
    [['new-window', ...print, ...place, ...processArgs(options)], ...(options.remainOnExit ? [keep] : [])],
    { secret: options.env !== undefined },
  );
  const created = readRecord(CREATED, output);
  if (created.windowIndex > 0) return created;
  throw tmuxError('internal', 'failed', 'tmux placed the new window at index 0');
}

/** Opens window 0 again in a session that has lost it; tmux refuses this while there is one. */
export async function newFirstWindow(runner: Runner, options: NewWindow): Promise<Created> {
  const place = ['-d', '-t', `${sessionTarget(options.session)}0`, '-n', labelLiteral(options.name)];
  const print = ['-P', '-F', recordFormat(CREATED)];
  const output = await runner.run([['new-window', ...print, ...place, ...processArgs(options)]], {
    secret: options.env !== undefined,
  });
  return readRecord(CREATED, output);
}

/**
 * Starts another process in a pane. `kill` ends one that still runs; without it that is an error.
 *
 * A tmux server (at least 3.3a) crashes here, with all sessions, while it holds output of the pane that a control client has
 * not taken yet. So output to those clients is switched off for that moment, which discards what is held for them.
 */
export async function respawnPane(
  runner: Runner,
  pane: string,
  options: NewProcess & { kill?: boolean },
): Promise<void> {
  const kill = options.kill ? ['-k'] : [];
  const secret = options.env !== undefined;
  const respawn = ['respawn-pane', ...kill, '-t', requirePaneId(pane), ...processArgs(options)];
  const loud = await loudClients(runner, pane);
  await setOutput(runner, loud, 'no-output');
  try {
    await runner.run([respawn], { secret });
  } finally {
    await setOutput(runner, loud, '!no-output');
  }
}

/** Control clients of the pane's session that get its output. */
async function loudClients(runner: Runner, pane: string): Promise<string[]> {
  const format = '#{?client_control_mode,#{?#{m:*no-output*,#{client_flags}},,#{client_name}},}';
  const output = await runner.run([['list-clients', '-t', pane, '-F', format]]);
  return output.split('\n').filter((name) => name !== '');
}

async function setOutput(runner: Runner, clients: string[], flag: 'no-output' | '!no-output'): Promise<void> {
  // A client that has left needs nothing.
  for (const name of clients) await runner.run([['refresh-client', '-t', name, '-f', flag]]).catch(() => {});
}

export async function hasSession(runner: Runner, name: string): Promise<boolean> {
  try {
    await runner.run([['has-session', '-t', sessionTarget(name)]]);
    return true;
  } catch (error) {
    const problem = tmuxProblemOf(error);
    if (problem === 'no_session' || problem === 'no_server') return false;
    throw error;
  }
}

function showCreated(at: string): string[] {
  return ['display-message', '-p', '-t', at, recordFormat(CREATED)];
}

function processArgs({ cwd, command, env }: NewProcess): string[] {
  const variables = Object.entries(env ?? {}).flatMap(([key, value]) => [
    '-e',
    `${requireVariable(key)}=${withoutNul(value, key)}`,
  ]);
  return [
    '-c',
    formatLiteral(withoutNul(cwd, 'cwd')),
    ...variables,
    ...(command ? exactCommand(command) : []),
  ];
}

/** tmux passes a single argument to a shell and executes two or more directly. */
function exactCommand(command: readonly string[]): string[] {
  const [program, ...rest] = command.map((word) => withoutNul(word, 'command'));
  if (program === undefined || program === '') throw invalid('command must name a program');
  return rest.length > 0 ? ['--', program, ...rest] : ['--', 'sh', '-c', 'exec "$0"', program];
}

export function labelLiteral(name: string): string {
  if (name === '' || /[\u0000-\u001f\u007f-\u009f]/.test(name)) {
    throw invalid('a window name must be one line without control characters');
  }
  return formatLiteral(name);
}

function withoutNul(value: string, field: string): string {
  if (value.includes('\u0000')) throw invalid(`${field} contains U+0000`);
  return value;
}

function positive(value: number, field: string): number {
  if (requireCount(value, field) === 0 || value > 10_000) throw invalid(`${field} must be from 1 to 10000`);
  return value;
}
