import { conflict } from '../base/index.ts';
import { requirePaneId, sessionTarget } from './names.ts';
import { tmuxError } from './problem.ts';
import {
  count,
  flag,
  optionalCount,
  optionalFlag,
  type RecordOf,
  readRecord,
  readRecords,
  recordFormat,
  text,
} from './record.ts';
import type { Runner } from './runner.ts';

const PANE = {
  id: ['pane_id', text],
  sessionId: ['session_id', text],
  sessionName: ['session_name', text],
  windowId: ['window_id', text],
  windowIndex: ['window_index', count],
  windowName: ['window_name', text],
  windowActive: ['window_active', flag],
  index: ['pane_index', count],
  active: ['pane_active', flag],
  /** Its process has ended and `remain-on-exit` keeps the pane. */
  dead: ['pane_dead', flag],
  deadStatus: ['pane_dead_status', optionalCount],
  pid: ['pane_pid', count],
  tty: ['pane_tty', text],
  /** The name of the foreground process, chosen by that process. */
  currentCommand: ['pane_current_command', text],
  /** In copy mode or another mode: a person is reading. */
  inMode: ['pane_in_mode', flag],
  mode: ['pane_mode', text],
  /** Its input is switched off (`select-pane -d`): tmux then silently drops pastes and keys. */
  inputOff: ['pane_input_off', flag],
  /** Keys sent to it also go to the other panes of its window. */
  synchronized: ['pane_synchronized', flag],
  cursorX: ['cursor_x', count],
  cursorY: ['cursor_y', count],
  cursorVisible: ['cursor_flag', flag],
  alternateOn: ['alternate_on', flag],
  /** Undefined if tmux does not report it (before 3.6). */
  bracketedPaste: ['bracket_paste_flag', optionalFlag],
  /** Written by the program in the pane: untrusted. */
  title: ['pane_title', text],
  width: ['pane_width', count],
  height: ['pane_height', count],
  historySize: ['history_size', count],
  /** When a person last pressed a key at a terminal of the session, or attached; in seconds. */
  sessionActivity: ['session_activity', count],
} as const;

export type Pane = RecordOf<typeof PANE>;

const PANE_FORMAT = recordFormat(PANE);

/** All panes of a session, in window and pane order. */
export async function listPanes(runner: Runner, session: string): Promise<Pane[]> {
  const output = await runner.run([['list-panes', '-s', '-t', sessionTarget(session), '-F', PANE_FORMAT]]);
  return readRecords(PANE, output);
}

/** All panes of the server; a pane in several sessions is listed once for each. */
export async function listAllPanes(runner: Runner): Promise<Pane[]> {
  return readRecords(PANE, await runner.run([['list-panes', '-a', '-F', PANE_FORMAT]]));
}

/**
 * The first pane of window 0; undefined if that window was closed. If a person splits it, the added panes come later.
 */
async function firstPane(runner: Runner, session: string): Promise<Pane | undefined> {
  const panes = (await listPanes(runner, session)).filter(({ windowIndex }) => windowIndex === 0);
  return panes.sort((a, b) => a.index - b.index)[0];
}

/**
 * The first pane of the window of this name; undefined if there is none. If two windows have the name, tmux would choose
 * either, so neither is used.
 */
export async function paneOfWindow(
  runner: Runner,
  session: string,
  window: string,
): Promise<Pane | undefined> {
  const panes = (await listPanes(runner, session)).filter(({ windowName }) => windowName === window);
  const windows = new Set(panes.map(({ windowId }) => windowId));
  if (windows.size > 1)
    throw conflict(`tmux session "${session}" has ${windows.size} windows named "${window}"`, {
      hint: 'rename the others',
    });
  return panes.sort((a, b) => a.index - b.index)[0];
}

/** An option that only one pane has. */
export interface PaneMark {
  option: string;
  value: string;
}

/**
 * The agent's pane: the one with its mark, wherever it was moved; else the named one; else the first of window 0, unless that
 * has another agent's mark. No other pane replaces it.
 */
export async function agentPane(
  runner: Runner,
  session: string,
  { named, mark }: { named?: string | undefined; mark?: PaneMark | undefined } = {},
): Promise<Pane | undefined> {
  const marks = mark && (await paneMarks(runner, mark.option));
  const marked = marks && [...marks].find(([, value]) => value === mark.value)?.[0];
  if (marked !== undefined) return showPane(runner, marked);
  const pane =
    named === undefined
      ? await firstPane(runner, session)
      : (await listPanes(runner, session)).find(({ id }) => id === named);
  return pane && marks?.has(pane.id) ? undefined : pane;
}

/** The panes of the server that have a value of this option, each with it. */
async function paneMarks(runner: Runner, option: string): Promise<Map<string, string>> {
  const format = `#{?${option},#{pane_id}\t#{${option}},}`;
  const output = await runner.run([['list-panes', '-a', '-F', format]]);
  const rows = output.split('\n').map((line) => line.split('\t'));
  return new Map(rows.flatMap(([id, value]) => (id && value ? [[id, value] as const] : [])));
}

export async function showPane(runner: Runner, pane: string): Promise<Pane> {
  return readRecord(PANE, present(pane, await runner.run([showPaneCommand(pane)])));
}

export interface Snapshot {
  pane: Pane;
  /** The visible rows, top to bottom. */
  screen: string;
}

/** Screen and facts of one instant: the program cannot write between them. */
export async function snapshotPane(
  runner: Runner,
  pane: string,
  options: CaptureOptions = {},
): Promise<Snapshot> {
  const output = await runner.run([showPaneCommand(pane), captureCommand(pane, options)]);
  const end = output.indexOf('\n');
  return { pane: readRecord(PANE, present(pane, output.slice(0, end))), screen: output.slice(end + 1) };
}

export interface CaptureOptions {
  /** Keep colours and attributes as escape sequences. Needed to distinguish a placeholder from typed text. */
  escapes?: boolean;
  /** Rows of history above the screen. Default none. */
  history?: number | 'all';
  /** Join rows that tmux wrapped, and keep trailing spaces. */
  join?: boolean;
}

export function capturePane(runner: Runner, pane: string, options: CaptureOptions = {}): Promise<string> {
  return runner.run([captureCommand(pane, options)]);
}

function captureCommand(pane: string, { escapes, history, join }: CaptureOptions): string[] {
  const start = history === undefined || history === 0 ? [] : ['-S', history === 'all' ? '-' : `-${history}`];
  const flags = ['-p', ...(escapes ? ['-e'] : []), ...(join ? ['-J'] : [])];
  return ['capture-pane', ...flags, ...start, '-t', requirePaneId(pane)];
}

function showPaneCommand(pane: string): string[] {
  return ['display-message', '-p', '-t', requirePaneId(pane), PANE_FORMAT];
}

/** For a pane that is gone, tmux returns an empty record or the record of another pane. */
function present(pane: string, line: string): string {
  if (!line.startsWith(`${pane}\t`)) throw paneGone(pane);
  return line;
}

export function paneGone(pane: string): Error {
  return tmuxError('not_found', 'no_pane', `the tmux pane ${pane} no longer exists`);
}
