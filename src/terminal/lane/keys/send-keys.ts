import { isRouseError, messageOf } from '../../../base/index.ts';
import { parseKeySequence } from '../../../domain/index.ts';
import { evidenceAt, type LaneContext } from '../../lane-context.ts';
import type { DeliveryResult, KeyDelivery } from '../../port.ts';
import { keysRefused } from './keys-refused.ts';
import { lookOutOfCopyMode } from './leave-copy-mode.ts';

/** Sends keys somebody asked for explicitly, exactly these, and records what they went into. */
export async function sendKeys(keys: KeyDelivery, on: LaneContext): Promise<DeliveryResult> {
  const { watch, clock } = on;
  const segments = parseKeySequence(keys.sequence, keys.escapeSpecialKeys);
  const sight = await lookOutOfCopyMode(on);
  const refused = keysRefused(sight);
  if (refused) return refused;
  const { pane } = sight.view!;
  const expect = { pid: pane.pid };
  let sent = 0;
  try {
    for (const segment of segments) {
      if (segment.kind === 'key') await watch.tmux.sendKeyName(pane.id, segment.key, expect);
      else await watch.tmux.sendLiteral(pane.id, segment.text, expect);
      sent++;
    }
  } catch (error) {
    const refusedByTmux = isRouseError(error) && (error.code === 'not_ready' || error.code === 'invalid');
    const outcome = sent === 0 && refusedByTmux ? 'refused' : 'failed';
    const reasons = [`${sent} of ${segments.length} parts were sent: ${messageOf(error)}`];
    return { outcome, reasons, evidence: [], untouched: sent === 0 && refusedByTmux };
  }
  const { facts } = sight;
  const into = { dialog: facts.dialog.value?.kind ?? null, busy: facts.busy.value };
  const evidence = [
    evidenceAt(clock, 'keys', { request_id: keys.requestId, segments: segments.length, ...into }),
  ];
  return { outcome: 'submitted', reasons: [], evidence, untouched: false };
}
