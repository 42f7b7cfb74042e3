import { sleep } from '../../../base/index.ts';
import { evidenceAt } from '../../lane-context.ts';
import { HeldBack } from '../../port.ts';
import { hasAnswered } from '../../proof/answered.ts';
import { isHeld } from '../../proof/held-text.ts';
import { seemsTaken } from '../../proof/prove-submission.ts';
import { awaitAnswer, NOT_ANSWERED } from './await-answer.ts';
import {
  type Delivery,
  type DeliveryEnd,
  describeObstacle,
  endUntaken,
  held,
  proven,
  touched,
} from './delivery.ts';
import type { EnteringStep, NextStep } from './entering-steps.ts';
import { isBarred, mayEnter } from './may-enter.ts';
import { type Entered, pressEnter } from './press-enter.ts';
import { prove, swallowedMs } from './prove-entered.ts';
import { takeBack } from './take-back.ts';

const MAX_ENTERS = 3;

/** A prompt between its first Enter and its end. */
interface Entering {
  delivery: Delivery;
  entered: Entered;
  /** Why the text in the composer was erased. */
  why: string;
  /** A pause of the agent is why. */
  held: boolean;
}

/** Submits the text in the composer and proves it, step by step as in `entering-steps.ts`. */
export async function enterPrompt(delivery: Delivery, resumed?: Entered): Promise<DeliveryEnd> {
  const { clock } = delivery;
  const rest = mayEnterAt(delivery) - clock.monotonic();
  if (rest > 0) await sleep(clock, rest);
  const entered = resumed ?? (await pressEnter(delivery, undefined));
  if (entered instanceof HeldBack) return eraseHeld(delivery, entered);
  if ('outcome' in entered) return eraseIfBarred(delivery, entered);
  const entering: Entering = { delivery, entered, why: '', held: false };
  let step: EnteringStep = 'prove';
  for (;;) {
    const next: EnteringStep | DeliveryEnd = await STEPS[step](entering);
    if (typeof next !== 'string') return next;
    step = next;
  }
}

/** A tool that was slow to show the paste has only just read it, so the gap counts from then. */
function mayEnterAt({ sent, pasted: { atMs, echoedMs = atMs } }: Delivery): number {
  const gap = sent.detector.input.pasteGapMs;
  return (echoedMs - atMs > gap / 2 ? echoedMs : atMs) + gap;
}

const STEPS: { [S in EnteringStep]: (entering: Entering) => Promise<NextStep<S> | DeliveryEnd> } = {
  async press(entering) {
    const pressed = await pressEnter(entering.delivery, entering.entered);
    if (pressed instanceof HeldBack) {
      Object.assign(entering, { why: pressed.reason, held: true });
      if (await takeBack(entering.delivery.sent.text, entering.delivery)) return 'judge_taken_back';
      return touched('unconfirmed', `${entering.why}; the text is in the composer`);
    }
    if ('outcome' in pressed) return eraseIfBarred(entering.delivery, pressed);
    entering.entered = pressed;
    return 'prove';
  },

  async prove({ delivery, entered }) {
    const proof = await prove(delivery, entered, swallowedMs(delivery));
    if (proof) return proven(delivery, proof, entered);
    return delivery.queuedKeys.waits ? 'interrupt_first' : 'look';
  },

  async look({ delivery, entered }) {
    const snapshot = await delivery.tracker.look();
    if (entered.lost !== undefined) return 'prove_late';
    if (!mayEnter(delivery, snapshot) || snapshot.facts.busy.value === 'yes') return 'prove_late';
    if (seemsTaken(snapshot, entered.baseline, delivery.sent)) return 'prove_late';
    if (!hasAnswered(delivery, entered.typed)) return 'await_answer';
    delivery.evidence.push(evidenceAt(delivery.clock, 'composer', { enter_swallowed: entered.enters }));
    return entered.enters < MAX_ENTERS ? 'press' : 'take_back';
  },

  async await_answer(entering) {
    const found = await awaitAnswer(entering.delivery, entering.entered);
    if (found === 'answered') return 'prove';
    if (found !== 'taken_back') return found;
    entering.why = NOT_ANSWERED;
    return 'judge_taken_back';
  },

  async prove_late({ delivery, entered }) {
    const proof = await prove(delivery, entered, delivery.patience.proofMs);
    if (proof) return proven(delivery, proof, entered);
    if (delivery.queuedKeys.waits) return 'interrupt_first';
    const { lost } = entered;
    const known = lost === undefined ? [] : [lost];
    return eraseIfBarred(delivery, touched('unconfirmed', ...known, describeObstacle(delivery)));
  },

  async take_back(entering) {
    const { delivery, entered } = entering;
    entering.why = `Enter was swallowed ${entered.enters} times`;
    if (await takeBack(delivery.sent.text, delivery)) return 'judge_taken_back';
    return touched('unconfirmed', `${entering.why}; the text is in the composer`);
  },

  async judge_taken_back({ delivery, entered, why, held }) {
    const proof = await prove(delivery, entered, swallowedMs(delivery));
    if (proof) return proven(delivery, proof, entered);
    if (delivery.queuedKeys.waits) return 'interrupt_first';
    const taken = seemsTaken(delivery.tracker.snapshot, entered.baseline, delivery.sent);
    if (taken !== false) return touched('unconfirmed', `${why}; what was in the composer was taken back`);
    const found = `${why}; the text was taken back`;
    if (held) return { ...endUntaken(delivery, found), held };
    return entered.enters < MAX_ENTERS ? endUntaken(delivery, found) : touched('failed', found);
  },

  async interrupt_first({ delivery, entered }) {
    const { queuedKeys, sent, tracker, patience } = delivery;
    let left: string | undefined;
    do {
      await queuedKeys.letIn(sent.text);
      let proof = await prove(delivery, entered, swallowedMs(delivery));
      const isHeldStill = !proof && isHeld(held(delivery, await tracker.look()));
      if (isHeldStill) left = (await takeBack(sent.text, delivery)) ? 'was taken back' : 'is in the composer';
      proof ??= await prove(delivery, entered, isHeldStill ? swallowedMs(delivery) : patience.proofMs);
      if (proof) return proven(delivery, proof, entered);
    } while (queuedKeys.waits);
    const there = left === undefined ? describeObstacle(delivery) : `the text ${left}`;
    return touched('unconfirmed', 'an interrupt came before it was proven', there);
  },
};

/** Enter was not pressed, so once the text is erased, the tool has none of it. */
async function eraseHeld(delivery: Delivery, { reason }: HeldBack): Promise<DeliveryEnd> {
  if (await takeBack(delivery.sent.text, delivery))
    return { ...endUntaken(delivery, `${reason}; the text was taken back`), held: true };
  return touched('unconfirmed', `${reason}; the text is in the composer`);
}

/** Our text in front of a menu, or text that needs a menu to be taken, is erased. */
async function eraseIfBarred(delivery: Delivery, ending: DeliveryEnd): Promise<DeliveryEnd> {
  if (ending.outcome !== 'unconfirmed' || !isBarred(delivery, await delivery.tracker.look())) return ending;
  const { baseline, step } = delivery.notes.read() ?? {};
  const erased = await takeBack(delivery.sent.text, delivery);
  // Once Enter may have been pressed, only a transcript without the prompt shows that nothing was taken.
  const mayBeTaken =
    step === 'entering' &&
    (!baseline || seemsTaken(delivery.tracker.snapshot, baseline, delivery.sent) !== false);
  return touched(
    mayBeTaken ? 'unconfirmed' : 'failed',
    ...ending.reasons,
    erased ? 'the text was taken back' : 'the text is in the composer',
  );
}
