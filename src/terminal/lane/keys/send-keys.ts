import { isRouseError, messageOf } from '../../../base/index.ts';
import { DIALOG_AFTER, type DialogAfter, parseKeySequence, reason, type Why } from '../../../domain/index.ts';
import { dialogHash } from '../../../screen/index.ts';
import type { Expectation } from '../../../tmux/index.ts';
import { evidenceAt, type LaneContext, sameAs, typeUnlessHeld } from '../../lane-context.ts';
import { type DeliveryResult, HeldBack, type KeyDelivery } from '../../port.ts';
import type { Snapshot } from '../../watch/snapshot.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import { keysRefused } from './keys-refused.ts';
import { lookOutOfCopyMode } from './leave-copy-mode.ts';
import { pressKey, typeLiterally } from './press-key.ts';

/** Sends exactly the keys a caller asked for, and records what they went into. */
export async function sendKeys(keys: KeyDelivery, context: LaneContext): Promise<DeliveryResult> {
  const { clock } = context;
  const segments = parseKeySequence(keys.sequence, keys.escapeSpecialKeys);
  const snapshot = await lookOutOfCopyMode(context);
  const refused = keysRefused(snapshot) ?? otherDialog(keys, snapshot);
  if (refused) return refused;
  const { pane } = snapshot.view!;
  // The choice was made for the screen that was seen, so tmux itself checks that nothing has moved since this look.
  let expect: Expectation = keys.expectedDialog === undefined ? { pid: pane.pid } : sameAs(snapshot.view!);
  let sent = 0;
  const type = async (): Promise<void> => {
    for (const segment of segments) {
      if (segment.kind === 'key') await pressKey(pane, segment.key, context, expect);
      else await typeLiterally(pane, segment.text, context, expect);
      expect = { pid: pane.pid };
      sent++;
    }
  };
  try {
    const held = await typeUnlessHeld(context, keys, type);
    if (held instanceof HeldBack) return notNow(held.reason);
  } catch (error) {
    const refusedByTmux = isRouseError(error) && (error.code === 'not_ready' || error.code === 'invalid');
    const outcome = sent === 0 && refusedByTmux ? 'refused' : 'failed';
    const reasons = [`${sent} of ${segments.length} parts were sent: ${messageOf(error)}`];
    return { outcome, reasons, evidence: [], untouched: sent === 0 && refusedByTmux };
  }
  const { facts } = snapshot;
  const after = facts.dialog.value ? await dialogAfter(snapshot, context) : undefined;
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
 * What the screen shows after keys were sent into a dialog. A tool can open another dialog just before a key arrives,
 * so this reports the screen and never which dialog took the key.
 */
async function dialogAfter(before: Snapshot, context: LaneContext): Promise<DialogAfter> {
  const asked = hashOf(before);
  const judge = (snapshot: Snapshot): DialogAfter => {
    if (!snapshot.view || snapshot.foreground.kind !== 'tool') return 'unknown';
    const now = hashOf(snapshot);
    return now === null ? 'gone' : now === asked ? 'same' : 'other';
  };
  try {
    await waitUntil(
      context,
      (snapshot) => (judge(snapshot) === 'same' ? undefined : true),
      context.patience.editMs,
    );
    return judge(await context.tracker.look());
  } catch {
    return 'unknown';
  }
}

const hashOf = ({ view, facts }: Snapshot): string | null => dialogHash(view!.screen, facts.dialog.value);

/** Keys meant for a dialog go into that dialog or nowhere. */
function otherDialog({ expectedDialog }: KeyDelivery, snapshot: Snapshot): DeliveryResult | undefined {
  if (expectedDialog === undefined || hashOf(snapshot) === expectedDialog) return undefined;
  return notNow(reason('dialog_changed'));
}

const notNow = (why: Why): DeliveryResult => ({
  outcome: 'not_ready',
  reasons: [why],
  evidence: [],
  untouched: true,
});
