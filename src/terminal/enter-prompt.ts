import { crashPoint, messageOf, sleep } from '../base/index.ts';
import type { Facts } from '../screen/index.ts';
import {
  type Delivery,
  type Ending,
  held,
  MOST_OVERTAKEN,
  nothingTyped,
  touched,
  whatIsThere,
} from './delivery.ts';
import { isHeld } from './held-text.ts';
import { keepAttempt } from './lane-attempt.ts';
import { evidenceAt, sameAs } from './lane-context.ts';
import type { Pasted } from './paste-prompt.ts';
import type { Evidence } from './port.ts';
import { type Baseline, baselineOf, commandTaken, proofOfSubmission, turnBegan } from './prove-submission.ts';
import type { Sight } from './sight.ts';
import { offersExactly } from './slash-command.ts';
import { takeBack } from './take-back.ts';
import { waitUntil } from './wait-until.ts';

const MOST_ENTERS = 3;

/** Enter was pressed; this is what was to be seen just before. */
interface Entered {
  baseline: Baseline;
  before: Facts;
  /** A menu was open in which it was to choose exactly what was typed. */
  offered: boolean;
}

/** Submits what stands in the composer, and proves it. */
export async function enterPrompt(delivery: Delivery, pasted: Pasted): Promise<Ending> {
  const { patience, clock, tracker, sent } = delivery;
  const rest = pasted.atMs + sent.detector.input.pasteGapMs - clock.monotonic();
  if (rest > 0) await sleep(clock, rest);
  const proven = async (proof: Evidence, { before }: Entered, enters: number): Promise<Ending> => {
    const ms = Math.round(clock.monotonic() - pasted.atMs);
    const evidence = { ...proof, facts: { ...proof.facts, enters, ms } };
    delivery.evidence.push(evidence);
    // A command need not begin a turn; what it begins shows by itself.
    if (proof.source !== 'command') delivery.submitted(before);
    await delivery.prompt.record('submitted', evidence);
    crashPoint('lane.submitted');
    return touched('submitted');
  };
  // After an interrupt the prompt is only judged: another Enter could make a second prompt of one that was put back.
  const overtaken = async (entered: Entered, enters: number): Promise<Ending> => {
    let left: string | undefined;
    do {
      await delivery.overtaking.letIn(sent.text);
      let proof = await prove(delivery, entered, swallowedMs(delivery));
      const stands = !proof && isHeld(held(delivery, await tracker.look()));
      if (stands) left = (await takeBack(sent.text, delivery)) ? 'was taken back' : 'stands in the composer';
      proof ??= await prove(delivery, entered, stands ? swallowedMs(delivery) : patience.proofMs);
      if (proof) return proven(proof, entered, enters);
    } while (delivery.overtaking.waits);
    const there = left === undefined ? whatIsThere(delivery) : `the text ${left}`;
    return touched('unconfirmed', 'an interrupt came before it was proven', there);
  };
  for (let enters = 1; ; enters++) {
    const entered = await pressEnter(delivery, pasted);
    if ('outcome' in entered) return notTaken(delivery, entered);
    const proof = await prove(delivery, entered, swallowedMs(delivery));
    if (proof) return proven(proof, entered, enters);
    if (delivery.overtaking.waits) return overtaken(entered, enters);
    const sight = await tracker.look();
    if (!mayEnter(delivery, sight) || sight.facts.busy.value === 'yes') {
      const late = await prove(delivery, entered, patience.proofMs);
      if (late) return proven(late, entered, enters);
      if (delivery.overtaking.waits) return overtaken(entered, enters);
      return notTaken(delivery, touched('unconfirmed', whatIsThere(delivery)));
    }
    delivery.evidence.push(evidenceAt(clock, 'composer', { enter_swallowed: enters }));
    if (enters < MOST_ENTERS) continue;
    const why = `Enter was swallowed ${enters} times`;
    if (!(await takeBack(sent.text, delivery)))
      return touched('unconfirmed', `${why}; the text stands in the composer`);
    // What was taken back was not submitted, unless the last Enter was only slow.
    const slow = await prove(delivery, entered, swallowedMs(delivery));
    if (slow) return proven(slow, entered, enters);
    if (delivery.overtaking.waits) return overtaken(entered, enters);
    return touched('failed', `${why}; the text was taken back`);
  }
}

/** What stands in front of a menu, or would need one to be taken, is ours and is taken back. */
async function notTaken(delivery: Delivery, ending: Ending): Promise<Ending> {
  const sight = await delivery.tracker.look();
  const barred = sight.facts.menu.value !== null || delivery.prepared.onlyIfOffered;
  if (!barred || !isHeld(held(delivery, sight))) return ending;
  const erased = await takeBack(delivery.sent.text, delivery);
  return touched(
    'failed',
    ...ending.reasons,
    erased ? 'the text was taken back' : 'the text stands in the composer',
  );
}

/** Presses Enter in one step with the check that the composer holds our text and nothing asks anything. */
async function pressEnter(delivery: Delivery, { sinceMs }: Pasted): Promise<Entered | Ending> {
  const { tracker, watch, patience, prompt, attemptFile, sent } = delivery;
  for (let tries = 0; tries < MOST_OVERTAKEN; tries++) {
    const sight = await tracker.look();
    if (!mayEnter(delivery, sight)) {
      const may = (seen: Sight): true | undefined => mayEnter(delivery, seen) || undefined;
      if (await waitUntil(delivery, may, patience.clearMs)) continue;
      return touched('unconfirmed', `Enter was not pressed: ${whatIsThere(delivery)}`);
    }
    const baseline = baselineOf(sight, sent, sinceMs);
    keepAttempt(attemptFile, { request_id: prompt.requestId, step: 'entering', baseline });
    if (!tracker.toolHoldsPane()) continue;
    try {
      const sent = evidenceAt(delivery.clock, 'lane', { sent: 'enter' });
      await watch.tmux.pressEnter(sight.view!.pane.id, { expect: sameAs(sight.view!) });
      delivery.evidence.push(sent);
      crashPoint('lane.entered');
      return { baseline, before: sight.facts, offered: offersExactly(sight, delivery.sent.text) };
    } catch (error) {
      if (!nothingTyped(error))
        return touched('unconfirmed', `Enter may have been pressed: ${messageOf(error)}`);
    }
  }
  return touched('unconfirmed', 'Enter was not pressed: the screen does not hold still');
}

function mayEnter(delivery: Delivery, sight: Sight): boolean {
  const { facts, foreground, people } = sight;
  if (foreground.kind !== 'tool' || facts.dialog.value) return false;
  if (facts.copy_mode || people.typing) return false;
  const now = held(delivery, sight);
  // A menu may choose something else than what was typed; only the tool's own list proves that it does not.
  if (facts.menu.value) return now === 'all' && offersExactly(sight, delivery.sent.text);
  return isHeld(now) && !delivery.prepared.onlyIfOffered;
}

/** With the tool's own word that it is idle, a swallowed Enter is told from a slow redraw much sooner. */
function swallowedMs({ patience, sent }: Delivery): number {
  const levels = sent.signals.flatMap((signal) => signal.read()).filter(({ writerAlive }) => writerAlive);
  return levels.length > 0 ? patience.swallowedMs.told : patience.swallowedMs.untold;
}

async function prove(
  delivery: Delivery,
  { baseline, offered }: Entered,
  timeoutMs: number,
): Promise<Evidence | undefined> {
  const { sent, tracker, overtaking } = delivery;
  const judge = (sight: Sight): Evidence | undefined =>
    proofOfSubmission(sight, baseline, sent) ?? (offered ? commandTaken(sight, sent) : undefined);
  const proof = await waitUntil(delivery, judge, timeoutMs, overtaking.signal);
  return proof ?? turnBegan(tracker.sight, baseline, sent);
}
