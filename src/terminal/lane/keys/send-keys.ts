import { isRouseError, messageOf } from '../../../base/index.ts';
import { DIALOG_AFTER, type DialogAfter, parseKeySequence, reason } from '../../../domain/index.ts';
import { dialogHash } from '../../../screen/index.ts';
import type { Expectation } from '../../../tmux/index.ts';
import { evidenceAt, type LaneContext, sameAs } from '../../lane-context.ts';
import type { DeliveryResult, KeyDelivery } from '../../port.ts';
import type { Sight } from '../../watch/sight.ts';
import { waitUntil } from '../../watch/wait-until.ts';
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
  const after = facts.dialog.value ? await dialogAfter(sight, on) : undefined;
  const into = {
    ...(keys.expectedDialog && { expected_dialog: keys.expectedDialog }),
    dialog: facts.dialog.value?.kind ?? null,
    busy: facts.busy.value,
    ...(after && { dialog_after: after }),
  };
  const evidence = [
    evidenceAt(clock, 'keys', { request_id: keys.requestId, segments: segments.length, ...into }),
  ];
  const reasons = after ? [DIALOG_AFTER[after]] : [];
  return { outcome: 'submitted', reasons, evidence, untouched: false, ...(after && { dialogAfter: after }) };
}

/**
 * What is seen after keys that were sent while a dialog was open. A tool can put another dialog there in the instant before
 * a key arrives, so this reports the screen and never which dialog took the key.
 */
async function dialogAfter(before: Sight, on: LaneContext): Promise<DialogAfter> {
  const asked = hashOf(before);
  const judge = (sight: Sight): DialogAfter => {
    if (!sight.view || sight.foreground.kind !== 'tool') return 'unknown';
    const now = hashOf(sight);
    return now === null ? 'gone' : now === asked ? 'same' : 'other';
  };
  try {
    await waitUntil(on, (sight) => (judge(sight) === 'same' ? undefined : true), on.patience.editMs);
    return judge(await on.tracker.look());
  } catch {
    return 'unknown';
  }
}

const hashOf = ({ view, facts }: Sight): string | null => dialogHash(view!.screen, facts.dialog.value);

/** Keys that were meant for a dialog go into that one or nowhere. */
function otherDialog({ expectedDialog }: KeyDelivery, sight: Sight): DeliveryResult | undefined {
  if (expectedDialog === undefined || hashOf(sight) === expectedDialog) return undefined;
  return { outcome: 'not_ready', reasons: [reason('dialog_changed')], evidence: [], untouched: true };
}
