import { isRouseError, messageOf } from '../base/index.ts';
import { type Delivery, type Ending, touched, untouched } from './delivery.ts';
import { enterPrompt } from './enter-prompt.ts';
import type { LaneContext } from './lane-context.ts';
import { type Pasted, pastePrompt, waitForEcho } from './paste-prompt.ts';
import type { DeliveryResult } from './port.ts';
import { preparePrompt } from './prepare-prompt.ts';

export type PromptOnLane = LaneContext &
  Pick<Delivery, 'prompt' | 'attemptFile' | 'submitted' | 'overtaking'>;

/** Puts one prompt into the tool and proves it. Every refusal is a result; nothing here throws for one. */
export async function deliverPrompt(on: PromptOnLane): Promise<DeliveryResult> {
  const { detector, signals } = on.tracker;
  const prepared = preparePrompt(on.prompt.text, detector.input);
  const sent = { text: prepared.text, detector, signals, clock: on.clock };
  const delivery: Delivery = { ...on, prepared, sent, evidence: [] };
  const ended = await through(delivery);
  return { ...ended, evidence: delivery.evidence };
}

async function through(delivery: Delivery): Promise<Ending> {
  const { refusals } = delivery.prepared;
  if (refusals.length > 0) return untouched('refused', ...refusals);
  let pasted: Pasted | Ending;
  try {
    pasted = await pastePrompt(delivery);
  } catch (error) {
    return untouched(isAway(error) ? 'not_ready' : 'failed', messageOf(error));
  }
  if ('outcome' in pasted) return pasted;
  try {
    return (await waitForEcho(delivery, pasted)) ?? (await enterPrompt(delivery, pasted));
  } catch (error) {
    return touched('unconfirmed', `the prompt was pasted, then the lane failed: ${messageOf(error)}`);
  }
}

/** The terminal cannot be reached, which may pass. */
function isAway(error: unknown): boolean {
  return isRouseError(error) && (error.code === 'unavailable' || error.code === 'not_found');
}
