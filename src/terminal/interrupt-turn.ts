import { messageOf, sleep } from '../base/index.ts';
import { heldText, isHeld } from './held-text.ts';
import { keysRefused } from './keys-refused.ts';
import { evidenceAt, type LaneContext } from './lane-context.ts';
import type { DeliveryResult, Evidence } from './port.ts';
import { takeBack } from './take-back.ts';
import { waitUntil } from './wait-until.ts';

/** Two Escapes in one breath would be read as one key with Alt. */
const BETWEEN_KEYS_MS = 150;

/**
 * Presses the tool's interrupt keys. Where the tool then puts the prompt back into the composer and it is exactly the
 * one sent last through this lane, it is erased, so that the next prompt is not glued to it.
 */
export async function interruptTurn(
  lastPrompt: string | undefined,
  on: LaneContext,
): Promise<DeliveryResult> {
  const { tracker, watch, clock, patience } = on;
  const sight = await tracker.look();
  const refused = keysRefused(sight);
  if (refused) return refused;
  const { input } = tracker.detector;
  const evidence: Evidence[] = [];
  if (tracker.gate(sight, 'ready_only').ready) {
    evidence.push(evidenceAt(clock, 'screen', { running: 'nothing', keys: [] }));
    return { outcome: 'submitted', reasons: ['nothing was running'], evidence, untouched: true };
  }
  const pane = sight.view!.pane;
  let sent = 0;
  try {
    for (const key of input.interruptKeys) {
      if (sent > 0) await sleep(clock, BETWEEN_KEYS_MS);
      await watch.tmux.sendKeyName(pane.id, key, { pid: pane.pid });
      sent++;
    }
  } catch (error) {
    return { outcome: 'failed', reasons: [messageOf(error)], evidence, untouched: sent === 0 };
  }
  const shown = await waitUntil(
    on,
    ({ facts }) => (facts.busy.value === 'yes' ? undefined : facts.phase.value),
    patience.interruptMs,
  );
  const asked = sight.facts.dialog.value?.kind ?? null;
  evidence.push(
    evidenceAt(clock, 'keys', {
      keys: input.interruptKeys,
      into_dialog: asked,
      still_busy: shown === undefined,
    }),
  );
  if (input.restoresPrompt && lastPrompt !== undefined) {
    const { facts } = await tracker.look();
    if (isHeld(heldText(facts, lastPrompt, input))) {
      const erased = await takeBack(lastPrompt, on);
      evidence.push(evidenceAt(clock, 'composer', { prompt_put_back: true, erased }));
    }
  }
  const reasons = shown === undefined ? ['the keys were sent; the turn still shows'] : [];
  return { outcome: 'submitted', reasons, evidence, untouched: false };
}
