import { conflict } from '../base/index.ts';
import { requireWindowId, requireWindowTarget, sessionTarget } from './names.ts';
import { tmuxError } from './problem.ts';
import type { Runner } from './runner.ts';
import { windowLabel } from './session.ts';
import { commandLine } from './words.ts';

export async function renameWindow(runner: Runner, window: string, name: string): Promise<void> {
  await runner.run([['rename-window', '-t', requireWindowTarget(window), '--', windowLabel(name)]]);
}

export async function selectWindow(runner: Runner, window: string): Promise<void> {
  await runner.run([['select-window', '-t', requireWindowTarget(window)]]);
}

/**
 * Closes a window of the session by its id. Refuses the window at index 0, the agent's surface, and the last window
 * of the session; the server checks this in the same instant in which it closes.
 */
export async function killWindow(runner: Runner, session: string, window: string): Promise<void> {
  const at = `${sessionTarget(session)}${requireWindowId(window)}`;
  const facts = '#{window_id} #{?#{==:#{window_index},0},first,-} #{?#{==:#{session_windows},1},only,-}';
  const tell = ['display-message', '-p', '-t', at, `kept ${facts}`];
  const said = await runner.run([
    [
      'if-shell',
      '-F',
      '-t',
      at,
      `#{==:${facts},${window} - -}`,
      commandLine(['kill-window', '-t', at]),
      commandLine(tell),
    ],
  ]);
  if (!said.startsWith('kept ')) return;
  const [, id, first, only] = said.split(' ');
  if (id !== window) throw tmuxError('not_found', 'no_window', `the tmux window ${window} no longer exists`);
  if (first === 'first')
    throw conflict(`window ${window} is window 0 of session "${session}" and is never closed`);
  if (only === 'only')
    throw conflict(`window ${window} is the only one of session "${session}" and is not closed`);
}
