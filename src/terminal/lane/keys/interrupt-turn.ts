import { crashPoint, messageOf, sleep } from '../../../base/index.ts';
import type { Pane } from '../../../tmux/index.ts';
import { evidenceAt, type LaneContext } from '../../lane-context.ts';
import type { DeliveryResult, Evidence, Recheck } from '../../port.ts';
import { heldText, isHeld } from '../../proof/held-text.ts';
import type { Sight } from '../../watch/sight.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import { nothingTyped } from '../prompt/delivery.ts';
import { takeBack } from '../prompt/take-back.ts';
import { keysRefused } from './keys-refused.ts';
import { lookOutOfCopyMode } from './leave-copy-mode.ts';
import { pressKey } from './press-key.ts';

/** Two Escapes in one breath would be read as one key with Alt. */
const BETWEEN_KEYS_MS = 150;
const MOST_PRESSES = 3;

export interface Interrupting {
  /** Sent last through this lane. */
  lastPrompt: string | undefined;
  /** It was entered a moment ago and its turn may be about to begin: a screen that shows none says nothing. */
  mayBegin: boolean;
  /** Called in the instant before the keys. */
  pressing: () => Recheck;
}

/**
 * Presses the tool's interrupt keys. Where the tool then puts the prompt back into the composer and it is exactly the
 * one sent last through this lane, it is erased, so that the next prompt is not glued to it.
 */
export async function interruptTurn(
  { lastPrompt, mayBegin, pressing }: Interrupting,
  on: LaneContext,
): Promise<DeliveryResult> {
  const { tracker, clock, patience } = on;
  const sight = await lookOutOfCopyMode(on);
  const refused = keysRefused(sight);
  if (refused) return refused;
  const { input } = tracker.detector;
  const evidence: Evidence[] = [];
  const still = pressing();
  if (!still.go) return { outcome: 'superseded', reasons: [still.reason], evidence, untouched: true };
  if (!mayBegin && tracker.gate(sight, 'ready_only').ready) {
    evidence.push(evidenceAt(clock, 'screen', { running: 'nothing', keys: [] }));
    return { outcome: 'submitted', reasons: ['nothing was running'], evidence, untouched: true };
  }
  const unseen = mayBegin && !isBusy(sight);
  let presses = 0;
  let keys = 0;
  let stopped = false;
  try {
    while (presses < MOST_PRESSES && !stopped && (presses === 0 || (await mayPressAgain(on)))) {
      crashPoint('lane.interrupting');
      await pressKeys(sight.view!.pane, on, () => keys++);
      crashPoint('lane.interrupted');
      presses++;
      stopped = (await waitUntil(on, isOver, patience.interruptMs)) !== undefined;
      // Its turn may show only now, begun by a tool that did not listen yet.
      if (presses === 1 && stopped && unseen)
        stopped = (await waitUntil(on, isBusy, patience.swallowedMs.told)) === undefined;
    }
    stopped ||= !isBusy(tracker.sight);
  } catch (error) {
    // Somebody began to scroll, or another program came, since the look.
    const now = keys === 0 && nothingTyped(error) ? keysRefused(await tracker.look()) : undefined;
    if (now) return now;
    return { outcome: 'failed', reasons: [messageOf(error)], evidence, untouched: false };
  }
  const asked = sight.facts.dialog.value?.kind ?? null;
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
      const erased = await takeBack(lastPrompt, on);
      evidence.push(evidenceAt(clock, 'composer', { prompt_put_back: true, erased }));
    }
  }
  const reasons = stopped ? [] : ['the keys were sent; the turn still shows'];
  return { outcome: 'submitted', reasons, evidence, untouched: false };
}

const isBusy = ({ facts }: Sight): true | undefined => facts.busy.value === 'yes' || undefined;
const isOver = (sight: Sight): true | undefined => !isBusy(sight) || undefined;

async function pressKeys(pane: Pane, on: LaneContext, pressed: () => void): Promise<void> {
  for (const [at, key] of on.tracker.detector.input.interruptKeys.entries()) {
    if (at > 0) await sleep(on.clock, BETWEEN_KEYS_MS);
    await pressKey(pane, key, on);
    pressed();
  }
}

/** A tool that just begins a turn may not listen yet. A dialog that opened meanwhile was not what was meant. */
async function mayPressAgain({ tracker }: LaneContext): Promise<boolean> {
  const { facts, foreground } = await tracker.look();
  return foreground.kind === 'tool' && facts.busy.value === 'yes' && facts.dialog.value === null;
}
