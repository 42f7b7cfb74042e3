import { crashPoint, messageOf } from '../../../base/index.ts';
import { reason } from '../../../domain/index.ts';
import { evidenceAt, typeUnlessHeld } from '../../lane-context.ts';
import type { Owner, OwnerTyped } from '../../owner.ts';
import { HeldBack } from '../../port.ts';
import { screenDigest } from '../../proof/answered.ts';
import { baselineOf } from '../../proof/prove-submission.ts';
import type { Snapshot } from '../../watch/snapshot.ts';
import { lookOutOfCopyMode } from '../keys/leave-copy-mode.ts';
import { type Delivery, type DeliveryEnd, noteStep, record, touched, untouched } from './delivery.ts';
import { beginTyping, gateRefusal } from './paste-prompt.ts';
import type { Entered } from './press-enter.ts';
import { isLoneCommand } from './slash-command.ts';

/**
 * Asks the server that owns the terminal to type the prompt and press Enter in one step. The request is noted first and
 * sent once. Its response proves nothing: proof is looked for afterwards, as after our own Enter.
 */
export async function submitPrompt(delivery: Delivery, owner: Owner): Promise<Entered | DeliveryEnd> {
  const { sent, tracker, clock, prepared } = delivery;
  const refusals = owner.refusals(sent.text);
  // Whether a command is taken depends on the tool's menu, which cannot be checked between the text and Enter.
  if (prepared.onlyIfOffered || isLoneCommand(sent.text))
    refusals.push(`a command of the tool cannot be proven when ${owner.name} types it; use send-keys`);
  if (refusals.length > 0) return untouched('refused', ...refusals);
  const closed = gateRefusal(delivery, await lookOutOfCopyMode(delivery)) ?? (await beginTyping(delivery));
  if (closed) return closed;
  await owner.ask();
  const snapshot = await tracker.look();
  const barred = gateRefusal(delivery, snapshot) ?? (await misplaced(delivery, snapshot));
  if (barred) return barred;
  const since = clock.now();
  const baseline = baselineOf(snapshot, sent, since.getTime());
  const { tool } = snapshot.foreground;
  delivery.pasted = { atMs: clock.monotonic(), screen: screenDigest(snapshot.view!), since, tool, baseline };
  noteStep(delivery, 'entering', baseline);
  if (!tracker.toolHoldsPane()) return untouched('not_ready', 'the tool does not hold the terminal');
  crashPoint('lane.asking');
  const answer = await typeUnlessHeld(delivery, delivery.prompt, () => owner.submit(sent.text));
  if (answer instanceof HeldBack) return untouched('not_ready', answer.reason);
  crashPoint('lane.asked');
  if (answer.kind === 'refused')
    return untouched('not_ready', `${owner.name} did not type it: ${answer.why}`);
  try {
    return await afterAsking(delivery, owner, answer, { baseline, before: snapshot.facts });
  } catch (error) {
    return touched(
      'unconfirmed',
      `${owner.name} was asked to type it, then the lane failed: ${messageOf(error)}`,
    );
  }
}

/** From here on, part of the prompt may have reached the tool. */
async function afterAsking(
  delivery: Delivery,
  { name, source }: Owner,
  answer: Exclude<OwnerTyped, { kind: 'refused' }>,
  known: Pick<Entered, 'baseline' | 'before'>,
): Promise<Entered> {
  const { tracker, clock } = delivery;
  let lost: string | undefined;
  if (answer.kind === 'asked') await record(delivery, 'typed', { source, facts: { said: 'success' } });
  else {
    delivery.evidence.push(evidenceAt(clock, source, { said: null, because: answer.why }));
    lost = `whether ${name} typed it is not known: ${answer.why}`;
  }
  const { view } = await tracker.look().catch(() => tracker.snapshot);
  const typed = { atMs: clock.monotonic(), screen: view ? screenDigest(view) : '' };
  return { ...known, enters: 1, typed, offered: false, lost };
}

/**
 * The server types by window name: the only window of that name must be the one that was checked, and no one may be
 * reading in it.
 */
async function misplaced({ watch }: Delivery, { view }: Snapshot): Promise<DeliveryEnd | undefined> {
  const { pane } = view!;
  if (pane.inMode) return untouched('not_ready', reason('copy_mode'));
  const panes = await watch.tmux.listPanes(watch.session);
  const named = panes.filter(({ windowName }) => windowName === pane.windowName);
  const alone = named.length > 0 && named.every(({ windowId }) => windowId === pane.windowId);
  return alone ? undefined : untouched('not_ready', reason('cao_window', 'another'));
}
