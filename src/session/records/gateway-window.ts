import type { SessionContext } from '../session-context.ts';
import { tmuxOf } from '../session-tmux.ts';
import { readKeeper } from './keeper.ts';
import type { RecordedGateway } from './live-gateway.ts';
import type { ManifestFacts } from './manifest-facts.ts';
import { sessionPaths } from './session-paths.ts';

/**
 * Closes the window a gateway left behind: exactly the recorded window, in this session, not index 0, and only
 * while the recorded pane still runs the recorded process, its keeper or nothing. tmux counts ids up, so another pane can
 * bear the id only after the server was started anew.
 */
export async function closeGatewayWindow(
  context: SessionContext,
  facts: ManifestFacts,
  gateway: RecordedGateway,
): Promise<void> {
  if (gateway.windowId === undefined || gateway.paneId === undefined) return;
  const tmux = tmuxOf(context, facts);
  const panes = await tmux.panes(facts.tmuxSessionName);
  const pane = panes.find((each) => each.paneId === gateway.paneId && each.windowId === gateway.windowId);
  if (!pane || pane.windowIndex === '0') return;
  const keeper = readKeeper(sessionPaths(facts.root))?.identity.pid;
  if (pane.dead || pane.pid === gateway.identity.pid || pane.pid === keeper)
    await tmux.killWindow(facts.tmuxSessionName, pane.windowId);
}
