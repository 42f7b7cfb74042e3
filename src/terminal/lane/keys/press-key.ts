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
  const byOwner = await owner?.press(key);
  if (byOwner?.kind === 'asked') return;
  if (byOwner?.kind === 'refused')
    throw notReady(`${owner!.name} did not press ${key}: ${byOwner.why}`, { facts: { tmux: 'refused' } });
  if (byOwner?.kind === 'unknown')
    throw unavailable(`whether ${owner!.name} pressed ${key} is not known: ${byOwner.why}`);
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
