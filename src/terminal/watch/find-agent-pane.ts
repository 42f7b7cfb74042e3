import { unavailable } from '../../base/index.ts';
import type { Pane, Tmux } from '../../tmux/index.ts';

/**
 * The agent's pane: window 0 of the session, and there the first pane. A person may split the window; the panes they
 * add come later.
 */
export async function findAgentPane(tmux: Tmux, session: string): Promise<Pane> {
  const panes = (await tmux.listPanes(session)).filter(({ windowIndex }) => windowIndex === 0);
  const first = panes.reduce<Pane | undefined>(
    (best, pane) => (best === undefined || pane.index < best.index ? pane : best),
    undefined,
  );
  if (first) return first;
  throw unavailable(`tmux session "${session}" has no window 0`, {
    hint: 'The agent’s window was closed; "rouse agents relaunch" brings it back.',
  });
}
