import type { Evidence } from '../../port.ts';
import { hasAnswered } from '../../proof/answered.ts';
import type { Snapshot } from '../../watch/snapshot.ts';
import { unreadInput } from '../../watch/unread-input.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import { type Delivery, type DeliveryEnd, touched } from './delivery.ts';
import type { Entered } from './press-enter.ts';
import { judgeProof } from './prove-entered.ts';
import { takeBack } from './take-back.ts';

/** Long enough to mean no limit: any movement ends the wait. */
const FOR_NOW_MS = 3_600_000;

export const NOT_ANSWERED = 'the tool has not answered since Enter was pressed';

/**
 * The tool has drawn nothing since Enter. It may still act on it, so nothing is pressed that could mean something else
 * by then. Ends when the tool reacts, when the prompt could be erased, or when the caller stops waiting.
 */
export async function awaitAnswer(
  delivery: Delivery,
  entered: Entered,
): Promise<'answered' | 'taken_back' | DeliveryEnd> {
  const { prompt, tracker, patience, queuedKeys, sent } = delivery;
  const { patient } = prompt;
  const judge = (snapshot: Snapshot): Evidence | 'answered' | undefined =>
    judgeProof(delivery, entered, snapshot) ??
    (hasAnswered(delivery, entered.typed) || snapshot.foreground.kind !== 'tool' ? 'answered' : undefined);
  tracker.noteUnseen({ typed: 'entered', longMs: patience.lostMs });
  try {
    let found = await waitUntil(delivery, judge, patience.proofMs, queuedKeys.signal);
    if (found === undefined && !queuedKeys.waits) {
      // Emptying the composer is harmless if Enter was taken, and shows at once whether the tool listens.
      const listens = unreadInput(tracker.snapshot.view?.pane.tty ?? '') === 0;
      if (listens && (await takeBack(sent.text, delivery))) return 'taken_back';
    }
    while (found === undefined && !queuedKeys.waits) {
      if (!patient) return touched('unconfirmed', NOT_ANSWERED);
      if (patient.aborted) return touched('left', NOT_ANSWERED);
      await queuedKeys.letKeysIn();
      const cut = AbortSignal.any([patient, queuedKeys.signal, queuedKeys.keysSignal]);
      found = await waitUntil(delivery, judge, FOR_NOW_MS, cut);
    }
    return 'answered';
  } finally {
    tracker.noteUnseen(undefined);
  }
}
