import { messageOf } from '../../../base/index.ts';
import { type LaneContext, sameAs } from '../../lane-context.ts';
import type { DeliveryResult } from '../../port.ts';
import { heldText } from '../../proof/held-text.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import { offersExactly, showsCommand } from '../prompt/slash-command.ts';
import { takeBack } from '../prompt/take-back.ts';

const refuse = (outcome: 'not_ready' | 'failed', reason: string, untouched: boolean): DeliveryResult => ({
  outcome,
  reasons: [reason],
  evidence: [],
  untouched,
});

/** Begins a new chat with the tool's own command. Undefined when the tool is ready again; else why it is not. */
export async function resetChat(on: LaneContext): Promise<DeliveryResult | undefined> {
  const { tracker, watch, patience } = on;
  const { resetCommand } = tracker.detector.input;
  const sight = await tracker.look();
  const gate = tracker.gate(sight, 'ready_only');
  if (!gate.ready) return refuse('not_ready', gate.reasons.map(({ fragment }) => fragment).join(' '), true);
  const pane = sight.view!.pane.id;
  try {
    await watch.tmux.sendLiteral(pane, resetCommand, sameAs(sight.view!));
  } catch (error) {
    return refuse('not_ready', messageOf(error), true);
  }
  const held = (): string => heldText(tracker.sight.facts, resetCommand, tracker.detector.input);
  const shown = await waitUntil(on, (seen) => showsCommand(seen, resetCommand) || undefined, patience.echoMs);
  const before = await tracker.look();
  // The menu of commands is open now. Where it shows what Enter would choose, that must be this very command.
  const other = before.facts.menu.value?.chosen !== undefined && !offersExactly(before, resetCommand);
  const alone = shown && showsCommand(before, resetCommand) && !other;
  if (!alone || before.facts.dialog.value || before.people.typing) {
    const erased = await takeBack(resetCommand, on);
    const left = erased ? 'the text was taken back' : 'the text may be in the composer';
    return refuse(
      'failed',
      `the tool did not show ${resetCommand}; nothing was submitted and ${left}`,
      erased,
    );
  }
  await watch.tmux.pressEnter(pane, { expect: sameAs(before.view!) });
  const ready = await waitUntil(
    on,
    (seen) => (held() === 'empty' && tracker.gate(seen, 'ready_only').ready ? true : undefined),
    patience.resetMs,
  );
  return ready ? undefined : refuse('failed', `the tool was not ready again after ${resetCommand}`, false);
}
