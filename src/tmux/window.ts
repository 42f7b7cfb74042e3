import { conflict, invalid } from '../base/index.ts';
import { requireWindowId, requireWindowTarget, sessionTarget } from './names.ts';
import { tmuxError } from './problem.ts';
import type { Runner } from './runner.ts';
import { labelLiteral } from './session.ts';
import { commandLine, commandSequence, formatLiteral } from './words.ts';

export async function renameWindow(runner: Runner, window: string, name: string): Promise<void> {
  await runner.run([['rename-window', '-t', requireWindowTarget(window), '--', labelLiteral(name)]]);
}

export interface WindowLabel {
  name: string;
  /** The window's own option on whether tmux may rename it; null if it has none and follows the global option. */
  automaticRename: 'on' | 'off' | null;
}

export async function windowLabel(runner: Runner, window: string): Promise<WindowLabel> {
  const target = requireWindowId(window);
  const output = await runner.run([
    ['show-options', '-w', '-v', '-q', '-t', target, 'automatic-rename'],
    ['display-message', '-p', '-t', target, '#{window_name}'],
  ]);
  const lines = output.split('\n');
  const own = lines.length > 1 ? lines[0] : undefined;
  return { name: lines.at(-1)!, automaticRename: own === 'on' || own === 'off' ? own : null };
}

/** Undoes a `renameWindow` to `ourName`, which also switched automatic renaming off, unless the window was renamed since. */
export async function restoreWindowLabel(
  runner: Runner,
  window: string,
  ourName: string,
  { name, automaticRename }: WindowLabel,
): Promise<void> {
  const target = requireWindowId(window);
  const restore = [
    ['rename-window', '-t', target, '--', formatLiteral(name)],
    automaticRename === null
      ? ['set-option', '-w', '-u', '-t', target, 'automatic-rename']
      : ['set-option', '-w', '-t', target, 'automatic-rename', automaticRename],
  ];
  const unchanged = `#{==:#{window_name},${comparable(ourName)}}`;
  await runner.run([['if-shell', '-F', '-t', target, unchanged, commandSequence(restore)]]);
}

/** Requires a name that may be part of a format. */
function comparable(name: string): string {
  if (/^[\w-]+$/.test(name)) return name;
  throw invalid(`${JSON.stringify(name)} cannot be compared with the name of a window`);
}

/**
 * Closes a window of the session by its id. Refuses the window at index 0, the agent's surface, and the last window
 * of the session; the server checks this in the same instant in which it closes.
 */
export async function killWindow(runner: Runner, session: string, window: string): Promise<void> {
  const at = `${sessionTarget(session)}${requireWindowId(window)}`;
  const facts = '#{window_id} #{?#{==:#{window_index},0},first,-} #{?#{==:#{session_windows},1},only,-}';
  const printFacts = ['display-message', '-p', '-t', at, `kept ${facts}`];
  const output = await runner.run([
    [
      'if-shell',
      '-F',
      '-t',
      at,
      `#{==:${facts},${window} - -}`,
      commandLine(['kill-window', '-t', at]),
      commandLine(printFacts),
    ],
  ]);
  if (!output.startsWith('kept ')) return;
  const [, id, first, only] = output.split(' ');
  if (id !== window) throw tmuxError('not_found', 'no_window', `the tmux window ${window} no longer exists`);
  if (first === 'first')
    throw conflict(`window ${window} is window 0 of session "${session}" and is never closed`);
  if (only === 'only')
    throw conflict(`window ${window} is the only one of session "${session}" and is not closed`);
}
