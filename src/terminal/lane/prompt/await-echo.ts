import { crashPoint, isProcessAlive } from '../../../base/index.ts';
import { evidenceAt } from '../../lane-context.ts';
import type { Evidence } from '../../port.ts';
import { hasAnswered, hasMoved } from '../../proof/answered.ts';
import { isHeld } from '../../proof/held-text.ts';
import { proofOfSubmission } from '../../proof/prove-submission.ts';
import type { Snapshot } from '../../watch/snapshot.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import {
  type Delivery,
  type DeliveryEnd,
  describeObstacle,
  endUntaken,
  held,
  proven,
  record,
  touched,
} from './delivery.ts';
import { isBarred, mayEnter } from './may-enter.ts';
import { takeBack } from './take-back.ts';

/** Long enough to mean no limit: any movement ends the wait. */
const FOR_NOW_MS = 3_600_000;

/** Waits until the composer shows the prompt. Returns undefined when it does. */
export async function awaitEcho(delivery: Delivery): Promise<DeliveryEnd | undefined> {
  const { patience, clock, sent, pasted } = delivery;
  const shown = await waitUntil(
    delivery,
    (snapshot) => {
      if (hasEnded(delivery)) return 'gone';
      return snapshot.foreground.kind === 'tool' && isHeld(held(delivery, snapshot)) ? 'shown' : undefined;
    },
    patience.echoMs * (1 + Buffer.byteLength(sent.text) / 65_536),
  );
  if (shown !== 'shown') {
    const ended = await waitForScreen(
      delivery,
      'the text was pasted but not seen, and Enter was not pressed',
    );
    if (ended) return ended;
  }
  pasted.echoedMs = clock.monotonic();
  const ms = Math.round(pasted.echoedMs - pasted.atMs);
  const facts = { held: held(delivery, delivery.tracker.snapshot), ms };
  await record(delivery, 'typed', { source: 'composer', facts });
  crashPoint('lane.typed');
  return undefined;
}

/**
 * The prompt was pasted and Enter cannot be pressed: the tool does not react, or something is in the way. Types nothing
 * more until the screen moves. Returns undefined when the whole text is there alone and Enter may be pressed.
 */
export async function waitForScreen(delivery: Delivery, why: string): Promise<DeliveryEnd | undefined> {
  const { prompt, tracker, clock, log, queuedKeys, sent } = delivery;
  const { patient } = prompt;
  if (!patient) return touched('unconfirmed', `${why}: ${describeObstacle(delivery)}`);
  delivery.evidence.push(evidenceAt(clock, 'lane', { waits: why, because: describeObstacle(delivery) }));
  log.info('waiting for the tool', { request: prompt.requestId, why });
  tracker.noteUnseen({ typed: 'pasted', longMs: delivery.patience.lostMs });
  try {
    for (;;) {
      if (queuedKeys.waits) await queuedKeys.letIn(sent.text);
      await queuedKeys.letKeysIn();
      if (patient.aborted) return touched('left', why);
      const cut = AbortSignal.any([patient, queuedKeys.signal, queuedKeys.keysSignal]);
      const lost = untilLost(delivery);
      const found = await waitUntil(
        delivery,
        (snapshot) => judge(delivery, snapshot),
        lost > 0 ? lost : FOR_NOW_MS,
        cut,
      );
      if (found === undefined) continue;
      if (found === 'may_enter') return undefined;
      if (found === 'gone')
        return endUntaken(delivery, 'the tool it was pasted into has ended, and Enter had not been pressed');
      if (found === 'lost')
        return endUntaken(
          delivery,
          'the tool has drawn since and its composer is empty, so the paste was lost',
        );
      if (found !== 'other') return proven(delivery, found, { before: tracker.snapshot.facts, enters: 0 });
      const ended = await handleOtherText(delivery);
      if (ended) return ended;
    }
  } finally {
    tracker.noteUnseen(undefined);
  }
}

function judge(
  delivery: Delivery,
  snapshot: Snapshot,
): Evidence | 'may_enter' | 'gone' | 'lost' | 'other' | undefined {
  const { pasted, sent, prompt } = delivery;
  if (hasEnded(delivery)) return 'gone';
  if (!snapshot.view || snapshot.foreground.kind !== 'tool') return undefined;
  if (mayEnter(delivery, snapshot)) {
    const steers = prompt.policy === 'ready_only' && snapshot.facts.busy.value === 'yes';
    return steers ? undefined : 'may_enter';
  }
  // We did not press Enter; a person may have.
  const proof = pasted.baseline && proofOfSubmission(snapshot, pasted.baseline, sent);
  if (proof) return proof;
  const now = held(delivery, snapshot);
  if (isBarred(delivery, snapshot)) return 'may_enter';
  if (now === 'other' && !snapshot.people.typing && hasMoved(snapshot.view, pasted.screen)) return 'other';
  return now === 'empty' && untilLost(delivery) <= 0 ? 'lost' : undefined;
}

/**
 * A tool that draws without showing the paste has lost it, after a while. For a silent tool there is no way to know.
 */
function untilLost(delivery: Delivery): number {
  const { pasted, patience, clock } = delivery;
  if (!hasAnswered(delivery, pasted)) return FOR_NOW_MS;
  return Math.max(0, pasted.atMs + patience.lostMs - clock.monotonic());
}

/** The composer holds our text and more: text that is only ours is erased; a person's draft is left alone. */
async function handleOtherText(delivery: Delivery): Promise<DeliveryEnd | undefined> {
  const { patience, sent } = delivery;
  const passed = (snapshot: Snapshot): true | undefined => held(delivery, snapshot) !== 'other' || undefined;
  if (await waitUntil(delivery, passed, patience.clearMs)) return undefined;
  if (await takeBack(sent.text, delivery))
    return endUntaken(delivery, 'it was not complete in the composer, and was taken back');
  return touched('unconfirmed', `Enter was not pressed: ${describeObstacle(delivery)}`);
}

function hasEnded({ pasted: { tool } }: Delivery): boolean {
  return tool !== undefined && !isProcessAlive(tool);
}
