import { messageOf } from '../../../base/index.ts';
import type { Why } from '../../../domain/index.ts';
import { type LaneContext, sameAs } from '../../lane-context.ts';
import type { DeliveryResult } from '../../port.ts';
import { type Held, heldText } from '../../proof/held-text.ts';
import type { Snapshot } from '../../watch/snapshot.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import { MAX_REDRAWS, nothingTyped } from '../prompt/delivery.ts';
import { offersExactly, showsCommand } from '../prompt/slash-command.ts';
import { takeBack } from '../prompt/take-back.ts';

const refuse = (outcome: 'not_ready' | 'failed', why: Why | Why[], untouched: boolean): DeliveryResult => ({
  outcome,
  reasons: [why].flat(),
  evidence: [],
  untouched,
});

/**
 * Starts a new chat with the tool's own command. Returns undefined when the tool is ready again, else why it is not.
 */
export async function resetChat(context: LaneContext): Promise<DeliveryResult | undefined> {
  const { tracker, watch, patience } = context;
  const { resetCommand } = tracker.detector.input;
  const snapshot = await tracker.look();
  const gate = tracker.gate(snapshot, 'ready_only');
  if (!gate.ready) return refuse('not_ready', gate.reasons, true);
  const pane = snapshot.view!.pane.id;
  try {
    await watch.tmux.sendLiteral(pane, resetCommand, sameAs(snapshot.view!));
  } catch (error) {
    return refuse('not_ready', messageOf(error), true);
  }
  const notEntered = await enterCommand(resetCommand, context);
  if (notEntered) return notEntered;
  const held = (): Held => heldText(tracker.snapshot.facts, resetCommand, tracker.detector.input);
  const ready = await waitUntil(
    context,
    (seen) => (held() === 'empty' && tracker.gate(seen, 'ready_only').ready ? true : undefined),
    patience.resetMs,
  );
  return ready ? undefined : refuse('failed', `the tool was not ready again after ${resetCommand}`, false);
}

/**
 * Presses Enter in one step with the check that nothing has moved since the look. A list that is drawn in between moves the
 * cursor; then it looks again. Without an Enter the command is erased: no one else would.
 */
async function enterCommand(command: string, context: LaneContext): Promise<DeliveryResult | undefined> {
  for (let tries = 0; tries < MAX_REDRAWS; tries++) {
    const seen = await seenToMean(command, context);
    if (!seen || seen.facts.dialog.value || seen.people.typing)
      return eraseCommand(command, `the tool did not show ${command}`, context);
    try {
      await context.watch.tmux.pressEnter(seen.view!.pane.id, { expect: sameAs(seen.view!) });
      return undefined;
    } catch (error) {
      if (nothingTyped(error)) continue;
      return refuse('failed', `Enter may have been pressed after ${command}: ${messageOf(error)}`, false);
    }
  }
  return eraseCommand(command, `the screen does not hold still after ${command}`, context);
}

async function eraseCommand(command: string, why: string, context: LaneContext): Promise<DeliveryResult> {
  const erased = await takeBack(command, context);
  const left = erased ? 'the text was taken back' : 'the text may be in the composer';
  return refuse('failed', `${why}; nothing was submitted and ${left}`, erased);
}

const MAX_LOOKS = 3;

/**
 * Waits until only the command is in the composer and Enter would run it. A tool draws its command list slightly later
 * than the text.
 */
async function seenToMean(command: string, context: LaneContext): Promise<Snapshot | undefined> {
  const means = (seen: Snapshot): true | undefined => entersCommand(seen, command) || undefined;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    if (!(await waitUntil(context, means, context.patience.echoMs))) return undefined;
    const snapshot = await context.tracker.look();
    if (means(snapshot)) return snapshot;
  }
  return undefined;
}

/** If the open command list shows what Enter would choose, that must be exactly this command. */
function entersCommand(snapshot: Snapshot, command: string): boolean {
  const other = snapshot.facts.menu.value?.chosen !== undefined && !offersExactly(snapshot, command);
  return showsCommand(snapshot, command) && !other;
}
