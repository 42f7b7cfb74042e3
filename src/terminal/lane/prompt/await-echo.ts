import { crashPoint, isProcessAlive } from '../../../base/index.ts';
import { evidenceAt } from '../../lane-context.ts';
import type { Evidence } from '../../port.ts';
import { hasAnswered, hasMoved } from '../../proof/answered.ts';
import { isHeld } from '../../proof/held-text.ts';
import { proofOfSubmission } from '../../proof/prove-submission.ts';
import type { Sight } from '../../watch/sight.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import {
  type Delivery,
  type DeliveryEnd,
  gaveBack,
  held,
  proven,
  record,
  touched,
  whatIsThere,
} from './delivery.ts';
import { isBarred, mayEnter } from './may-enter.ts';
import { takeBack } from './take-back.ts';

/** Nothing is looked for meanwhile: whatever moves ends the wait. */
const FOR_NOW_MS = 3_600_000;

/** Waits until the composer shows the prompt; undefined when it does. */
export async function awaitEcho(delivery: Delivery): Promise<DeliveryEnd | undefined> {
  const { patience, clock, sent, pasted } = delivery;
  const shown = await waitUntil(
    delivery,
    (sight) => {
      if (hasEnded(delivery)) return 'gone';
      return sight.foreground.kind === 'tool' && isHeld(held(delivery, sight)) ? 'shown' : undefined;
    },
    patience.echoMs * (1 + Buffer.byteLength(sent.text) / 65_536),
  );
  if (shown !== 'shown') {
    const ended = await standBy(delivery, 'the text was pasted but not seen, and Enter was not pressed');
    if (ended) return ended;
  }
  pasted.echoedMs = clock.monotonic();
  const ms = Math.round(pasted.echoedMs - pasted.atMs);
  const facts = { held: held(delivery, delivery.tracker.sight), ms };
  await record(delivery, 'typed', { source: 'composer', facts });
  crashPoint('lane.typed');
  return undefined;
}

/**
 * The prompt was pasted and Enter cannot be pressed: the tool does not answer, or something stands in the way. Nothing
 * more is typed until the screen moves. Undefined when the text stands there whole and alone and Enter may be pressed.
 */
export async function standBy(delivery: Delivery, why: string): Promise<DeliveryEnd | undefined> {
  const { prompt, tracker, clock, log, overtaking, sent } = delivery;
  const { patient } = prompt;
  if (!patient) return touched('unconfirmed', `${why}: ${whatIsThere(delivery)}`);
  delivery.evidence.push(evidenceAt(clock, 'lane', { waits: why, because: whatIsThere(delivery) }));
  log.info('waiting for the tool', { request: prompt.requestId, why });
  tracker.noteUnseen({ typed: 'pasted', longMs: delivery.patience.lostMs });
  try {
    for (;;) {
      if (overtaking.waits) await overtaking.letIn(sent.text);
      await overtaking.letKeysIn();
      if (patient.aborted) return touched('left', why);
      const cut = AbortSignal.any([patient, overtaking.signal, overtaking.keysSignal]);
      const lost = untilLost(delivery);
      const found = await waitUntil(
        delivery,
        (sight) => judge(delivery, sight),
        lost > 0 ? lost : FOR_NOW_MS,
        cut,
      );
      if (found === undefined) continue;
      if (found === 'may_enter') return undefined;
      if (found === 'gone')
        return gaveBack(delivery, 'the tool it was pasted into has ended, and Enter had not been pressed');
      if (found === 'lost')
        return gaveBack(
          delivery,
          'the tool has drawn since and its composer is empty, so the paste was lost',
        );
      if (found !== 'other') return proven(delivery, found, { before: tracker.sight.facts, enters: 0 });
      const ended = await withSomethingElse(delivery);
      if (ended) return ended;
    }
  } finally {
    tracker.noteUnseen(undefined);
  }
}

function judge(
  delivery: Delivery,
  sight: Sight,
): Evidence | 'may_enter' | 'gone' | 'lost' | 'other' | undefined {
  const { pasted, sent, prompt } = delivery;
  if (hasEnded(delivery)) return 'gone';
  if (!sight.view || sight.foreground.kind !== 'tool') return undefined;
  if (mayEnter(delivery, sight)) {
    const steers = prompt.policy === 'ready_only' && sight.facts.busy.value === 'yes';
    return steers ? undefined : 'may_enter';
  }
  // Enter was not ours; a person may have pressed it.
  const proof = pasted.baseline && proofOfSubmission(sight, pasted.baseline, sent);
  if (proof) return proof;
  const now = held(delivery, sight);
  if (isBarred(delivery, sight)) return 'may_enter';
  if (now === 'other' && !sight.people.typing && hasMoved(sight.view, pasted.screen)) return 'other';
  return now === 'empty' && untilLost(delivery) <= 0 ? 'lost' : undefined;
}

/** A tool that draws and does not show it has lost the paste, after a while; of a silent one nobody can say. */
function untilLost(delivery: Delivery): number {
  const { pasted, patience, clock } = delivery;
  if (!hasAnswered(delivery, pasted)) return FOR_NOW_MS;
  return Math.max(0, pasted.atMs + patience.lostMs - clock.monotonic());
}

/** Ours and something else: what is only ours is taken back, and a person's draft is theirs. */
async function withSomethingElse(delivery: Delivery): Promise<DeliveryEnd | undefined> {
  const { patience, sent } = delivery;
  const passed = (sight: Sight): true | undefined => held(delivery, sight) !== 'other' || undefined;
  if (await waitUntil(delivery, passed, patience.clearMs)) return undefined;
  if (await takeBack(sent.text, delivery))
    return gaveBack(delivery, 'it was not complete in the composer, and was taken back');
  return touched('unconfirmed', `Enter was not pressed: ${whatIsThere(delivery)}`);
}

function hasEnded({ pasted: { tool } }: Delivery): boolean {
  return tool !== undefined && !isProcessAlive(tool);
}
