import { isDiskTrouble, isRouseError, messageOf } from '../../../base/index.ts';
import type { LaneContext } from '../../lane-context.ts';
import type { DeliveryResult } from '../../port.ts';
import { awaitEcho } from './await-echo.ts';
import { type Delivery, type DeliveryEnd, touched, untouched } from './delivery.ts';
import { enterPrompt } from './enter-prompt.ts';
import { pastePrompt } from './paste-prompt.ts';
import { preparePrompt } from './prepare-prompt.ts';
import type { Entered } from './press-enter.ts';
import { submitPrompt } from './submit-prompt.ts';

export type PromptOnLane = LaneContext & Pick<Delivery, 'prompt' | 'submitted' | 'queuedKeys'>;

/** Types one prompt into the tool and proves it. Every refusal is a result, never an exception. */
export async function deliverPrompt(context: PromptOnLane): Promise<DeliveryResult> {
  const { detector, signals } = context.tracker;
  const prepared = preparePrompt(context.prompt.text, detector.input);
  const sent = { text: prepared.text, detector, signals, clock: context.clock };
  const pasted = {
    atMs: context.clock.monotonic(),
    screen: '',
    since: context.clock.now(),
    tool: undefined,
    baseline: undefined,
  };
  const delivery: Delivery = { ...context, prepared, sent, pasted, evidence: [] };
  const ended = await (context.prompt.resume ? resumed(delivery) : through(delivery));
  return { ...ended, evidence: delivery.evidence };
}

async function through(delivery: Delivery): Promise<DeliveryEnd> {
  const { refusals } = delivery.prepared;
  if (refusals.length > 0) return untouched('refused', ...refusals);
  let entered: Entered | undefined;
  try {
    const ended = await (delivery.owner ? submitPrompt(delivery, delivery.owner) : pastePrompt(delivery));
    if (ended && 'outcome' in ended) return ended;
    entered = ended;
  } catch (error) {
    return untouched(isAway(error) ? 'not_ready' : 'failed', messageOf(error));
  }
  return afterPaste(delivery, entered);
}

/** Continues an attempt from where an earlier process left it. */
async function resumed(delivery: Delivery): Promise<DeliveryEnd> {
  const { notes, prompt, tracker } = delivery;
  const attempt = notes.read();
  if (attempt?.request_id !== prompt.requestId || !attempt.baseline || attempt.step === 'before_paste')
    return touched('unconfirmed', 'there is no note of the attempt to continue');
  const { baseline, screen, tool } = attempt;
  const typed = { atMs: delivery.clock.monotonic(), screen: screen ?? '' };
  delivery.pasted = { ...typed, since: new Date(attempt.since_utc), tool: tool ?? undefined, baseline };
  const entered: Entered = { baseline, before: tracker.snapshot.facts, enters: 1, typed, offered: false };
  return afterPaste(delivery, attempt.step === 'entering' ? entered : undefined);
}

async function afterPaste(delivery: Delivery, entered?: Entered): Promise<DeliveryEnd> {
  try {
    const ended = entered ? undefined : await awaitEcho(delivery);
    return ended ?? (await enterPrompt(delivery, entered));
  } catch (error) {
    return touched('unconfirmed', `the prompt was pasted, then the lane failed: ${messageOf(error)}`);
  }
}

/** The terminal is out of reach, or a required note cannot be written. Both may be temporary. */
function isAway(error: unknown): boolean {
  if (isRouseError(error)) return error.code === 'unavailable' || error.code === 'not_found';
  return isDiskTrouble(error);
}
