import { crashPoint, messageOf, sleep } from '../../base/index.ts';
import type { Facts } from '../../screen/index.ts';
import { evidenceAt, sameAs } from '../lane-context.ts';
import type { Evidence } from '../port.ts';
import { hasAnswered, screenDigest, type Typed } from '../proof/answered.ts';
import { isHeld } from '../proof/held-text.ts';
import {
  type Baseline,
  baselineOf,
  commandTaken,
  proofOfSubmission,
  seemsTaken,
  turnBegan,
} from '../proof/prove-submission.ts';
import type { Sight } from '../watch/sight.ts';
import { unreadInput } from '../watch/unread-input.ts';
import { waitUntil } from '../watch/wait-until.ts';
import { standBy } from './await-echo.ts';
import {
  type Delivery,
  type Ending,
  gaveBack,
  held,
  keep,
  MOST_OVERTAKEN,
  nothingTyped,
  proven,
  touched,
  whatIsThere,
} from './delivery.ts';
import { isBarred, mayEnter } from './may-enter.ts';
import { offersExactly } from './slash-command.ts';
import { takeBack } from './take-back.ts';

const MOST_ENTERS = 3;
/** Nothing is looked for meanwhile: whatever moves ends the wait. */
const FOR_NOW_MS = 3_600_000;

/** Enter was pressed. */
export interface Entered {
  /** What was to be seen just before the first one: every proof is held against that. */
  baseline: Baseline;
  before: Facts;
  enters: number;
  /** The last one. */
  typed: Typed;
  /** A menu was open in which it was to choose exactly what was typed. */
  offered: boolean;
}

/**
 * Submits what stands in the composer, and proves it.
 *
 * | After Enter the composer shows | and                          | then                                             |
 * |---|---|---|
 * | anything                       | there is proof               | submitted                                        |
 * | the text                       | signs that it was taken      | the proof is waited for; else unconfirmed        |
 * | the text                       | the tool has not drawn since | nothing is pressed until it has                  |
 * | the text                       | the tool has drawn since     | Enter again, thrice at most; then it is taken back |
 * | anything else                  | no proof                     | the proof is waited for; else unconfirmed        |
 */
export async function enterPrompt(delivery: Delivery, resumed?: Entered): Promise<Ending> {
  const { patience, clock, sent, pasted, overtaking } = delivery;
  const rest = pasted.atMs + sent.detector.input.pasteGapMs - clock.monotonic();
  if (rest > 0) await sleep(clock, rest);
  let entered = resumed;
  let press = resumed === undefined;
  for (;;) {
    if (press || !entered) {
      const pressed = await pressEnter(delivery, entered);
      if ('outcome' in pressed) return notTaken(delivery, pressed);
      entered = pressed;
      press = false;
    }
    const proof = await prove(delivery, entered, swallowedMs(delivery));
    if (proof) return proven(delivery, proof, entered);
    if (overtaking.waits) return overtaken(delivery, entered);
    const stands = await whatStands(delivery, entered);
    if (stands === 'unanswered') {
      const ended = await awaitAnswer(delivery, entered);
      if (ended) return ended;
    } else if (stands === 'swallowed') {
      delivery.evidence.push(evidenceAt(clock, 'composer', { enter_swallowed: entered.enters }));
      if (entered.enters >= MOST_ENTERS) return takenBack(delivery, entered);
      press = true;
    } else {
      const late = await prove(delivery, entered, patience.proofMs);
      if (late) return proven(delivery, late, entered);
      if (overtaking.waits) return overtaken(delivery, entered);
      return notTaken(delivery, touched('unconfirmed', whatIsThere(delivery)));
    }
  }
}

async function whatStands(
  delivery: Delivery,
  { baseline, typed }: Entered,
): Promise<'unanswered' | 'swallowed' | 'taken'> {
  const sight = await delivery.tracker.look();
  if (!mayEnter(delivery, sight) || sight.facts.busy.value === 'yes') return 'taken';
  if (seemsTaken(sight, baseline, delivery.sent)) return 'taken';
  return hasAnswered(delivery, typed) ? 'swallowed' : 'unanswered';
}

/**
 * The tool has drawn nothing since Enter: it may still act on it, so nothing is pressed that could mean something else
 * by then. Undefined when it has answered.
 */
async function awaitAnswer(delivery: Delivery, entered: Entered): Promise<Ending | undefined> {
  const { prompt, tracker, patience, overtaking, sent } = delivery;
  const { patient } = prompt;
  const why = 'the tool has not answered since Enter was pressed';
  const judge = (sight: Sight): Evidence | 'answered' | undefined =>
    judgeProof(delivery, entered, sight) ??
    (hasAnswered(delivery, entered.typed) || sight.foreground.kind !== 'tool' ? 'answered' : undefined);
  tracker.noteUnseen('entered');
  try {
    let found = await waitUntil(delivery, judge, patience.proofMs, overtaking.signal);
    if (found === undefined && !overtaking.waits) {
      // Emptying the composer harms nothing when Enter was taken, and shows at once whether the tool listens.
      const listens = unreadInput(tracker.sight.view?.pane.tty ?? '') === 0;
      if (listens && (await takeBack(sent.text, delivery))) return judgeTakenBack(delivery, entered, why);
    }
    while (found === undefined && !overtaking.waits) {
      if (!patient) return touched('unconfirmed', why);
      if (patient.aborted) return touched('left', why);
      await overtaking.letKeysIn();
      const cut = AbortSignal.any([patient, overtaking.signal, overtaking.keysSignal]);
      found = await waitUntil(delivery, judge, FOR_NOW_MS, cut);
    }
    return undefined;
  } finally {
    tracker.noteUnseen(undefined);
  }
}

async function takenBack(delivery: Delivery, entered: Entered): Promise<Ending> {
  const why = `Enter was swallowed ${entered.enters} times`;
  if (!(await takeBack(delivery.sent.text, delivery)))
    return touched('unconfirmed', `${why}; the text stands in the composer`);
  return judgeTakenBack(delivery, entered, why);
}

/** What was taken back was not submitted, unless the last Enter was only slow, or the words stood there before. */
async function judgeTakenBack(delivery: Delivery, entered: Entered, why: string): Promise<Ending> {
  const slow = await prove(delivery, entered, swallowedMs(delivery));
  if (slow) return proven(delivery, slow, entered);
  if (delivery.overtaking.waits) return overtaken(delivery, entered);
  const taken = seemsTaken(delivery.tracker.sight, entered.baseline, delivery.sent);
  if (taken !== false) return touched('unconfirmed', `${why}; what stood in the composer was taken back`);
  const found = `${why}; the text was taken back`;
  return entered.enters < MOST_ENTERS ? gaveBack(delivery, found) : touched('failed', found);
}

/** After an interrupt the prompt is only judged: another Enter could make a second prompt of one that was put back. */
async function overtaken(delivery: Delivery, entered: Entered): Promise<Ending> {
  const { overtaking, sent, tracker, patience } = delivery;
  let left: string | undefined;
  do {
    await overtaking.letIn(sent.text);
    let proof = await prove(delivery, entered, swallowedMs(delivery));
    const stands = !proof && isHeld(held(delivery, await tracker.look()));
    if (stands) left = (await takeBack(sent.text, delivery)) ? 'was taken back' : 'stands in the composer';
    proof ??= await prove(delivery, entered, stands ? swallowedMs(delivery) : patience.proofMs);
    if (proof) return proven(delivery, proof, entered);
  } while (overtaking.waits);
  const there = left === undefined ? whatIsThere(delivery) : `the text ${left}`;
  return touched('unconfirmed', 'an interrupt came before it was proven', there);
}

/** What stands in front of a menu, or would need one to be taken, is ours and is taken back. */
async function notTaken(delivery: Delivery, ending: Ending): Promise<Ending> {
  if (ending.outcome !== 'unconfirmed' || !isBarred(delivery, await delivery.tracker.look())) return ending;
  const erased = await takeBack(delivery.sent.text, delivery);
  return touched(
    'failed',
    ...ending.reasons,
    erased ? 'the text was taken back' : 'the text stands in the composer',
  );
}

/** Presses Enter in one step with the check that the composer holds our text and nothing asks anything. */
async function pressEnter(delivery: Delivery, earlier: Entered | undefined): Promise<Entered | Ending> {
  const { tracker, watch, patience, clock, sent, pasted } = delivery;
  for (let tries = 0; tries < MOST_OVERTAKEN; tries++) {
    const sight = await tracker.look();
    if (!mayEnter(delivery, sight)) {
      const may = (seen: Sight): true | undefined => mayEnter(delivery, seen) || undefined;
      if (await waitUntil(delivery, may, patience.clearMs)) continue;
      const why = 'Enter was not pressed';
      if (earlier || isBarred(delivery, tracker.sight))
        return touched('unconfirmed', `${why}: ${whatIsThere(delivery)}`);
      const ended = await standBy(delivery, why);
      if (ended) return ended;
      continue;
    }
    const baseline = earlier?.baseline ?? baselineOf(sight, sent, pasted.since.getTime());
    keep(delivery, 'entering', baseline);
    if (!tracker.toolHoldsPane()) continue;
    try {
      const said = evidenceAt(clock, 'lane', { sent: 'enter' });
      const typed = { atMs: clock.monotonic(), screen: screenDigest(sight.view!) };
      await watch.tmux.pressEnter(sight.view!.pane.id, { expect: sameAs(sight.view!) });
      delivery.evidence.push(said);
      crashPoint('lane.entered');
      const { before = sight.facts, enters = 0 } = earlier ?? {};
      return { baseline, before, enters: enters + 1, typed, offered: offersExactly(sight, sent.text) };
    } catch (error) {
      if (!nothingTyped(error))
        return touched('unconfirmed', `Enter may have been pressed: ${messageOf(error)}`);
    }
  }
  return touched('unconfirmed', 'Enter was not pressed: the screen does not hold still');
}

/** With the tool's own word that it is idle, a swallowed Enter is told from a slow redraw much sooner. */
function swallowedMs({ patience, sent }: Delivery): number {
  const levels = sent.signals.flatMap((signal) => signal.read()).filter(({ writerAlive }) => writerAlive);
  return levels.length > 0 ? patience.swallowedMs.told : patience.swallowedMs.untold;
}

function judgeProof({ sent }: Delivery, { baseline, offered }: Entered, sight: Sight): Evidence | undefined {
  return proofOfSubmission(sight, baseline, sent) ?? (offered ? commandTaken(sight, sent) : undefined);
}

async function prove(delivery: Delivery, entered: Entered, timeoutMs: number): Promise<Evidence | undefined> {
  const { sent, tracker, overtaking } = delivery;
  const judge = (sight: Sight): Evidence | undefined => judgeProof(delivery, entered, sight);
  const proof = await waitUntil(delivery, judge, timeoutMs, overtaking.signal);
  return proof ?? turnBegan(tracker.sight, entered.baseline, sent);
}
