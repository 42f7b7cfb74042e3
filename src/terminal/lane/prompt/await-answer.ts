import type { Evidence } from '../../port.ts';
import { hasAnswered } from '../../proof/answered.ts';
import type { Sight } from '../../watch/sight.ts';
import { unreadInput } from '../../watch/unread-input.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import { type Delivery, type DeliveryEnd, touched } from './delivery.ts';
import type { Entered } from './press-enter.ts';
import { judgeProof } from './prove-entered.ts';
import { takeBack } from './take-back.ts';

/** Nothing is looked for meanwhile: whatever moves ends the wait. */
const FOR_NOW_MS = 3_600_000;

export const NOT_ANSWERED = 'the tool has not answered since Enter was pressed';

/**
 * The tool has drawn nothing since Enter: it may still act on it, so nothing is pressed that could mean something else
 * by then. Ends when it has answered, when what it was given could be taken back, or when nobody waits any longer.
 */
export async function awaitAnswer(
  delivery: Delivery,
  entered: Entered,
): Promise<'answered' | 'taken_back' | DeliveryEnd> {
  const { prompt, tracker, patience, overtaking, sent } = delivery;
  const { patient } = prompt;
  const judge = (sight: Sight): Evidence | 'answered' | undefined =>
    judgeProof(delivery, entered, sight) ??
    (hasAnswered(delivery, entered.typed) || sight.foreground.kind !== 'tool' ? 'answered' : undefined);
  tracker.noteUnseen({ typed: 'entered', longMs: patience.lostMs });
  try {
    let found = await waitUntil(delivery, judge, patience.proofMs, overtaking.signal);
    if (found === undefined && !overtaking.waits) {
      // Emptying the composer harms nothing when Enter was taken, and shows at once whether the tool listens.
      const listens = unreadInput(tracker.sight.view?.pane.tty ?? '') === 0;
      if (listens && (await takeBack(sent.text, delivery))) return 'taken_back';
    }
    while (found === undefined && !overtaking.waits) {
      if (!patient) return touched('unconfirmed', NOT_ANSWERED);
      if (patient.aborted) return touched('left', NOT_ANSWERED);
      await overtaking.letKeysIn();
      const cut = AbortSignal.any([patient, overtaking.signal, overtaking.keysSignal]);
      found = await waitUntil(delivery, judge, FOR_NOW_MS, cut);
    }
    return 'answered';
  } finally {
    tracker.noteUnseen(undefined);
  }
}
