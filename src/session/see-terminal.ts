import { parseSnapshot, pictureOf, type ScreenPicture } from '../screen/index.ts';
import type { ManifestFacts } from './records/manifest-facts.ts';
import type { SessionContext } from './session-context.ts';
import { tmuxOf } from './session-tmux.ts';

/** Captured once, without attaching: nothing is resized, and nobody is disturbed. */
export async function seeTerminal(
  context: SessionContext,
  facts: ManifestFacts,
): Promise<ScreenPicture | undefined> {
  const tmux = tmuxOf(context, facts);
  const pane = await tmux.paneOf(facts);
  const seen = pane && (await tmux.snapshot(pane.paneId));
  if (!seen) return undefined;
  const { width: columns, height, cursorX: x, cursorY: y, cursorVisible: visible } = seen.pane;
  return pictureOf(parseSnapshot(seen.screen, { columns, height, cursor: { x, y, visible } }), null);
}
