import { notReady } from '../base/index.ts';
import { requireCount, requirePaneId } from './names.ts';
import { paneGone } from './pane.ts';
import type { Runner } from './runner.ts';
import { commandLine } from './words.ts';

/** Conditions that the tmux server checks at the instant of typing. */
export interface Expectation {
  /** The process started in the pane. A pane keeps its id when it is respawned. */
  pid?: number;
  cursorX?: number;
  cursorY?: number;
  /** Many tools hide it in their dialogs. */
  cursorVisible?: boolean;
  alternateOn?: boolean;
  /** No key has come from any terminal of the session since then; keys sent by programs do not count. */
  sessionActivity?: number;
}

interface Condition {
  variable: string;
  wanted: string;
  otherwise: string;
}

/**
 * Runs `command`, which types into the pane, if the pane is alive, takes input and is in no mode, and the expectation
 * holds. Check and action are one command of the server, so nothing can happen between them.
 *
 * The check for a dead pane is essential: tmux before 3.5 crashes, with all its sessions, when something is pasted into a
 * dead pane.
 */
export async function runGuarded(
  runner: Runner,
  pane: string,
  command: string[],
  expect: Conditions,
): Promise<void> {
  const conditions = [...ALWAYS, ...expect];
  const variables = ['pane_id', ...conditions.map(({ variable }) => variable)]
    .map((name) => `#{${name}}`)
    .join(' ');
  const wanted = [requirePaneId(pane), ...conditions.map((condition) => condition.wanted)].join(' ');
  const refusal = `refused ${variables}`;
  const output = await runner.run([
    [
      'if-shell',
      '-F',
      '-t',
      pane,
      `#{==:${variables},${wanted}}`,
      commandLine(command),
      printed(pane, refusal),
    ],
  ]);
  if (!output.startsWith('refused ')) return;
  const [, id, ...found] = output.split(' ');
  if (id !== pane) throw paneGone(pane);
  const at = conditions.findIndex((condition, index) => condition.wanted !== found[index]);
  throw notReady(`nothing was typed into pane ${pane}: ${conditions[at]?.otherwise ?? 'its state changed'}`, {
    facts: { tmux: 'refused', condition: conditions[at]?.variable, wanted, found: found.join(' ') },
  });
}

function printed(pane: string, format: string): string {
  return commandLine(['display-message', '-p', '-t', pane, format]);
}

export type Conditions = readonly Condition[];

const ALWAYS: Conditions = [
  { variable: 'pane_dead', wanted: '0', otherwise: 'its process has ended' },
  { variable: 'pane_input_off', wanted: '0', otherwise: 'its input is switched off' },
  { variable: 'pane_in_mode', wanted: '0', otherwise: 'it is in copy mode or another tmux mode' },
];

/** For keys, which tmux would also send to synchronized panes. A paste reaches only one pane. */
export const ALONE: Conditions = [
  {
    variable: 'pane_synchronized',
    wanted: '0',
    otherwise: 'its window sends keys to all panes (synchronize-panes)',
  },
];

export function conditionsOf(expect: Expectation): Condition[] {
  const conditions: Condition[] = [];
  const want = (variable: string, wanted: number | undefined, otherwise: string): void => {
    if (wanted === undefined) return;
    conditions.push({ variable, wanted: String(requireCount(wanted, variable)), otherwise });
  };
  want('pane_pid', expect.pid, 'another process runs in the pane');
  want('cursor_x', expect.cursorX, 'the cursor has moved');
  want('cursor_y', expect.cursorY, 'the cursor has moved');
  want('cursor_flag', flagOf(expect.cursorVisible), 'the cursor was hidden or shown');
  want('alternate_on', flagOf(expect.alternateOn), 'the program has switched screens');
  want('session_activity', expect.sessionActivity, 'a person has pressed a key');
  return conditions;
}

function flagOf(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
