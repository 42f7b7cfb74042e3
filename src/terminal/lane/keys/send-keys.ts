import { isRouseError, messageOf } from '../../../base/index.ts';
import { parseKeySequence } from '../../../domain/index.ts';
import { dialogHash } from '../../../screen/index.ts';
import type { Expectation } from '../../../tmux/index.ts';
import { evidenceAt, type LaneContext, sameAs } from '../../lane-context.ts';
import { type DeliveryResult, DIALOG_CHANGED, type KeyDelivery } from '../../port.ts';
import type { Sight } from '../../watch/sight.ts';
import { keysRefused } from './keys-refused.ts';
import { lookOutOfCopyMode } from './leave-copy-mode.ts';
import { pressKey, typeLiterally } from './press-key.ts';

/** Sends keys somebody asked for explicitly, exactly these, and records what they went into. */
export async function sendKeys(keys: KeyDelivery, on: LaneContext): Promise<DeliveryResult> {
  const { clock } = on;
  const segments = parseKeySequence(keys.sequence, keys.escapeSpecialKeys);
  const sight = await lookOutOfCopyMode(on);
  const refused = keysRefused(sight) ?? otherDialog(keys, sight);
  if (refused) return refused;
  const { pane } = sight.view!;
  // A choice was made for what was seen: tmux itself checks that nothing moved since this look.
  let expect: Expectation = keys.expectedDialog === undefined ? { pid: pane.pid } : sameAs(sight.view!);
  let sent = 0;
  try {
    for (const segment of segments) {
      if (segment.kind === 'key') await pressKey(pane, segment.key, on, expect);
      else await typeLiterally(pane, segment.text, on, expect);
      expect = { pid: pane.pid };
      sent++;
    }
  } catch (error) {
    const refusedByTmux = isRouseError(error) && (error.code === 'not_ready' || error.code === 'invalid');
    const outcome = sent === 0 && refusedByTmux ? 'refused' : 'failed';
    const reasons = [`${sent} of ${segments.length} parts were sent: ${messageOf(error)}`];
    return { outcome, reasons, evidence: [], untouched: sent === 0 && refusedByTmux };
  }
  const { facts } = sight;
  const into = {
    ...(keys.expectedDialog && { expected_dialog: keys.expectedDialog }),
    dialog: facts.dialog.value?.kind ?? null,
    busy: facts.busy.value,
  };
  const evidence = [
    evidenceAt(clock, 'keys', { request_id: keys.requestId, segments: segments.length, ...into }),
  ];
  return { outcome: 'submitted', reasons: [], evidence, untouched: false };
}

/** Keys that were meant for a dialog go into that one or nowhere. */
function otherDialog({ expectedDialog }: KeyDelivery, { view, facts }: Sight): DeliveryResult | undefined {
  if (expectedDialog === undefined || dialogHash(view!.screen, facts.dialog.value) === expectedDialog)
    return undefined;
  return { outcome: 'not_ready', reasons: [DIALOG_CHANGED], evidence: [], untouched: true };
}
