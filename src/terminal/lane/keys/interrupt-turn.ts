import { crashPoint, messageOf, sleep } from '../../../base/index.ts';
import type { Pane } from '../../../tmux/index.ts';
import { evidenceAt, type LaneContext } from '../../lane-context.ts';
import type { DeliveryResult, Evidence, Recheck } from '../../port.ts';
import { heldText, isHeld } from '../../proof/held-text.ts';
import type { Snapshot } from '../../watch/snapshot.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import { nothingTyped } from '../prompt/delivery.ts';
import { takeBack } from '../prompt/take-back.ts';
import { keysRefused } from './keys-refused.ts';
import { lookOutOfCopyMode } from './leave-copy-mode.ts';
import { pressKey } from './press-key.ts';

/** Two Escapes without a pause would be read as one key with Alt. */
const BETWEEN_KEYS_MS = 150;
const MAX_PRESSES = 3;

export interface Interrupting {
  /** The last prompt sent through this lane. */
  lastPrompt: string | undefined;
  /** Enter was pressed a moment ago and the turn may be about to begin: a screen without a turn proves nothing. */
  mayBegin: boolean;
  /** Called just before the keys are pressed. */
  pressing: () => Recheck;
}

/**
 * Presses the tool's interrupt keys. Some tools then put the prompt back into the composer. If it is exactly the last
 * prompt sent through this lane, it is erased, so that the next prompt is not appended to it.
 */
export async function interruptTurn(
  { lastPrompt, mayBegin, pressing }: Interrupting,
  context: LaneContext,
): Promise<DeliveryResult> {
  const { tracker, clock, patience } = context;
  const snapshot = await lookOutOfCopyMode(context);
  const refused = keysRefused(snapshot);
  if (refused) return refused;
  const { input } = tracker.detector;
  const evidence: Evidence[] = [];
  const still = pressing();
  if (!still.go) return { outcome: 'superseded', reasons: [still.reason], evidence, untouched: true };
  if (!mayBegin && tracker.gate(snapshot, 'ready_only').ready) {
    evidence.push(evidenceAt(clock, 'screen', { running: 'nothing', keys: [] }));
    return { outcome: 'submitted', reasons: ['nothing was running'], evidence, untouched: true };
  }
  const unseen = mayBegin && !isBusy(snapshot);
  let presses = 0;
  let keys = 0;
  let stopped = false;
  try {
    while (presses < MAX_PRESSES && !stopped && (presses === 0 || (await mayPressAgain(context)))) {
      crashPoint('lane.interrupting');
      await pressKeys(snapshot.view!.pane, context, () => keys++);
      crashPoint('lane.interrupted');
      presses++;
      stopped = (await waitUntil(context, isOver, patience.interruptMs)) !== undefined;
      // A tool that was not listening yet may show the turn only now.
      if (presses === 1 && stopped && unseen)
        stopped = (await waitUntil(context, isBusy, patience.swallowedMs.withIdleSignal)) === undefined;
    }
    stopped ||= !isBusy(tracker.snapshot);
  } catch (error) {
    // Since the last look, a person began to scroll or another program started.
    const now = keys === 0 && nothingTyped(error) ? keysRefused(await tracker.look()) : undefined;
    if (now) return now;
    return { outcome: 'failed', reasons: [messageOf(error)], evidence, untouched: false };
  }
  const asked = snapshot.facts.dialog.value?.kind ?? null;
  evidence.push(
    evidenceAt(clock, 'keys', {
      keys: input.interruptKeys,
      presses,
      into_dialog: asked,
      still_busy: !stopped,
    }),
  );
  if (input.restoresPrompt && lastPrompt !== undefined) {
    const { facts } = await tracker.look();
    if (isHeld(heldText(facts, lastPrompt, input))) {
      const erased = await takeBack(lastPrompt, context);
      evidence.push(evidenceAt(clock, 'composer', { prompt_put_back: true, erased }));
    }
  }
  const reasons = stopped ? [] : ['the keys were sent; the turn still shows'];
  return { outcome: 'submitted', reasons, evidence, untouched: false };
}

const isBusy = ({ facts }: Snapshot): true | undefined => facts.busy.value === 'yes' || undefined;
const isOver = (snapshot: Snapshot): true | undefined => !isBusy(snapshot) || undefined;

async function pressKeys(pane: Pane, context: LaneContext, pressed: () => void): Promise<void> {
  for (const [at, key] of context.tracker.detector.input.interruptKeys.entries()) {
    if (at > 0) await sleep(context.clock, BETWEEN_KEYS_MS);
    await pressKey(pane, key, context);
    pressed();
  }
}

/** A tool at the start of a turn may not listen yet. A dialog that has opened since then is not the target. */
async function mayPressAgain({ tracker }: LaneContext): Promise<boolean> {
  const { facts, foreground } = await tracker.look();
  return foreground.kind === 'tool' && facts.busy.value === 'yes' && facts.dialog.value === null;
}
