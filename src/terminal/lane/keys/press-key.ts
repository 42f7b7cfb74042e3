import { notReady, unavailable } from '../../../base/index.ts';
import type { Expectation, Pane } from '../../../tmux/index.ts';
import type { LaneContext } from '../../lane-context.ts';

type On = Pick<LaneContext, 'watch' | 'owner'>;

/** Presses one key through the server that owns the terminal if it can, else straight into the pane. */
export async function pressKey(
  pane: Pane,
  key: string,
  { watch, owner }: On,
  expect: Expectation = { pid: pane.pid },
): Promise<void> {
  const said = await owner?.press(key);
  if (said?.kind === 'asked') return;
  if (said?.kind === 'refused')
    throw notReady(`${owner!.name} did not press ${key}: ${said.why}`, { facts: { tmux: 'refused' } });
  if (said?.kind === 'unknown')
    throw unavailable(`whether ${owner!.name} pressed ${key} is not known: ${said.why}`);
  await watch.tmux.sendKeyName(pane.id, key, expect);
  await owner?.pressedBehind();
}

/** Types text unchanged; no server does that for us. */
export async function typeLiterally(
  pane: Pane,
  text: string,
  { watch, owner }: On,
  expect: Expectation = { pid: pane.pid },
): Promise<void> {
  await watch.tmux.sendLiteral(pane.id, text, expect);
  await owner?.pressedBehind();
}
