import { notReady, unavailable } from '../../../base/index.ts';
import type { Expectation, Pane } from '../../../tmux/index.ts';
import type { LaneContext } from '../../lane-context.ts';

type On = Pick<LaneContext, 'watch' | 'owner'>;

/** One key, by the server that owns the terminal where it can press it; else straight into the pane. */
export async function pressKey(
  pane: Pane,
  key: string,
  { watch, owner }: On,
  expect: Expectation = { pid: pane.pid },
): Promise<void> {
  const said = await owner?.press(key);
  if (said?.kind === 'asked') return;
  if (said?.kind === 'refused')
    throw notReady(`CAO did not press ${key}: ${said.why}`, { facts: { tmux: 'refused' } });
  if (said?.kind === 'unknown') throw unavailable(`whether CAO pressed ${key} is not known: ${said.why}`);
  await watch.tmux.sendKeyName(pane.id, key, expect);
  await owner?.pressedBehind();
}

/** Text as it is, which no server presses for us. */
export async function typeLiterally(
  pane: Pane,
  text: string,
  { watch, owner }: On,
  expect: Expectation = { pid: pane.pid },
): Promise<void> {
  await watch.tmux.sendLiteral(pane.id, text, expect);
  await owner?.pressedBehind();
}
