import { crashPoint, messageOf } from '../../../base/index.ts';
import type { CaoTyped } from '../../../cao/index.ts';
import { reason } from '../../../domain/index.ts';
import { evidenceAt } from '../../lane-context.ts';
import type { Owner } from '../../owner.ts';
import { screenDigest } from '../../proof/answered.ts';
import { baselineOf } from '../../proof/prove-submission.ts';
import type { Sight } from '../../watch/sight.ts';
import { lookOutOfCopyMode } from '../keys/leave-copy-mode.ts';
import { type Delivery, type DeliveryEnd, keep, record, touched, untouched } from './delivery.ts';
import { beginTyping, closedBy } from './paste-prompt.ts';
import type { Entered } from './press-enter.ts';
import { isLoneCommand } from './slash-command.ts';

/**
 * Has the server that owns the terminal type the prompt and press Enter, in one go. That it will is noted before it is asked,
 * and it is asked once. What it answers proves nothing: the proof is looked for afterwards, as after an Enter of our own.
 */
export async function submitPrompt(delivery: Delivery, owner: Owner): Promise<Entered | DeliveryEnd> {
  const { sent, tracker, clock, prepared } = delivery;
  const refusals = owner.refusals(sent.text);
  // A command is taken or not as the tool's menu has it, and nobody looks at that between the text and Enter.
  if (prepared.onlyIfOffered || isLoneCommand(sent.text))
    refusals.push('a command of the tool cannot be proven when CAO types it; use send-keys');
  if (refusals.length > 0) return untouched('refused', ...refusals);
  const closed = closedBy(delivery, await lookOutOfCopyMode(delivery)) ?? (await beginTyping(delivery));
  if (closed) return closed;
  await owner.ask();
  const sight = await tracker.look();
  const barred = closedBy(delivery, sight) ?? (await misplaced(delivery, sight));
  if (barred) return barred;
  const since = clock.now();
  const baseline = baselineOf(sight, sent, since.getTime());
  const { tool } = sight.foreground;
  delivery.pasted = { atMs: clock.monotonic(), screen: screenDigest(sight.view!), since, tool, baseline };
  keep(delivery, 'entering', baseline);
  if (!tracker.toolHoldsPane()) return untouched('not_ready', 'the tool does not hold the terminal');
  crashPoint('lane.asking');
  const answer = await owner.submit(sent.text);
  crashPoint('lane.asked');
  if (answer.kind === 'refused') return untouched('not_ready', `CAO did not type it: ${answer.why}`);
  try {
    return await afterAsking(delivery, answer, { baseline, before: sight.facts });
  } catch (error) {
    return touched('unconfirmed', `CAO was asked to type it, then the lane failed: ${messageOf(error)}`);
  }
}

/** Something of it may be with the tool by now, whatever happens. */
async function afterAsking(
  delivery: Delivery,
  answer: Exclude<CaoTyped, { kind: 'refused' }>,
  known: Pick<Entered, 'baseline' | 'before'>,
): Promise<Entered> {
  const { tracker, clock } = delivery;
  const lost = answer.kind === 'unknown' ? answer.why : undefined;
  if (lost === undefined) await record(delivery, 'typed', { source: 'cao', facts: { said: 'success' } });
  else delivery.evidence.push(evidenceAt(clock, 'cao', { said: null, because: lost }));
  const { view } = await tracker.look().catch(() => tracker.sight);
  const typed = { atMs: clock.monotonic(), screen: view ? screenDigest(view) : '' };
  return { ...known, enters: 1, typed, offered: false, lost };
}

/** It types by name: the one window of that name must be the one that was looked at, and nobody may read in it. */
async function misplaced({ watch }: Delivery, { view }: Sight): Promise<DeliveryEnd | undefined> {
  const { pane } = view!;
  if (pane.inMode) return untouched('not_ready', reason('copy_mode'));
  const panes = await watch.tmux.listPanes(watch.session);
  const named = panes.filter(({ windowName }) => windowName === pane.windowName);
  const alone = named.length > 0 && named.every(({ windowId }) => windowId === pane.windowId);
  return alone ? undefined : untouched('not_ready', reason('cao_window', 'another'));
}
