import { messageOf } from '../base/index.ts';
import { heldText } from './held-text.ts';
import { type LaneContext, sameAs } from './lane-context.ts';
import type { DeliveryResult } from './port.ts';
import { waitUntil } from './wait-until.ts';

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
  const shown = await waitUntil(on, () => (held() === 'all' ? true : undefined), patience.echoMs);
  const before = await tracker.look();
  // The menu of commands is open now: that is the tool offering this very command.
  if (!shown || held() !== 'all' || before.facts.dialog.value || before.people.typing)
    return refuse('failed', `the tool did not show ${resetCommand}; nothing was submitted`, false);
  await watch.tmux.pressEnter(pane, { expect: sameAs(before.view!) });
  const ready = await waitUntil(
    on,
    (seen) => (held() === 'empty' && tracker.gate(seen, 'ready_only').ready ? true : undefined),
    patience.resetMs,
  );
  return ready ? undefined : refuse('failed', `the tool was not ready again after ${resetCommand}`, false);
}
