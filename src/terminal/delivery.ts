import { isRouseError } from '../base/index.ts';
import type { Facts } from '../screen/index.ts';
import { tmuxProblemOf } from '../tmux/index.ts';
import type { Held } from './held-text.ts';
import { evidenceAt, type LaneContext } from './lane-context.ts';
import type { Overtaking } from './overtaking.ts';
import type { DeliveryOutcome, DeliveryResult, Evidence, PromptDelivery } from './port.ts';
import type { PreparedPrompt } from './prepare-prompt.ts';
import type { Sent } from './prove-submission.ts';
import type { Sight } from './sight.ts';
import { heldIn } from './slash-command.ts';

/** One prompt on its way through the lane. */
export interface Delivery extends LaneContext {
  prompt: PromptDelivery;
  prepared: PreparedPrompt;
  sent: Sent;
  /** What was seen, in order; it becomes the result's. */
  evidence: Evidence[];
  /** Where the lane keeps how far it came. */
  attemptFile: string;
  /** Told when submission is proven, with what was to be seen before Enter. */
  submitted: (before: Facts) => void;
  /** Interrupts that came meanwhile. */
  overtaking: Overtaking;
}

export type Ending = Omit<DeliveryResult, 'evidence'>;

/** It is certain that not a byte of the prompt has reached the tool. */
export function untouched(outcome: DeliveryOutcome, ...reasons: string[]): Ending {
  return { outcome, reasons, untouched: true };
}

export function touched(outcome: DeliveryOutcome, ...reasons: string[]): Ending {
  return { outcome, reasons, untouched: false };
}

/** A look and the typing after it may be overtaken by a redraw; that costs nothing but another look. */
export const MOST_OVERTAKEN = 40;

/** tmux refused, or there was no pane: it is certain that no byte went in. */
export function nothingTyped(error: unknown): boolean {
  if (!isRouseError(error)) return false;
  const problem = tmuxProblemOf(error);
  return problem === 'refused' || problem === 'no_pane';
}

export function held({ sent }: Delivery, sight: Sight): Held {
  return heldIn(sight, sent.text, sent.detector.input);
}

export async function record(
  delivery: Delivery,
  stage: 'typing' | 'typed',
  said: { source: string; facts: Record<string, unknown> },
): Promise<void> {
  const evidence = evidenceAt(delivery.clock, said.source, said.facts);
  delivery.evidence.push(evidence);
  await delivery.prompt.record(stage, evidence);
}

/** What stands in the way, for people. */
export function whatIsThere(delivery: Delivery): string {
  const { sight } = delivery.tracker;
  const { facts, foreground, people, away } = sight;
  if (away !== undefined) return away;
  if (foreground.kind !== 'tool') return `in the foreground is ${foreground.kind}, not the tool`;
  if (facts.dialog.value) return `a dialog (${facts.dialog.value.kind}) is open`;
  if (facts.menu.value) {
    const { kind, chosen } = facts.menu.value;
    return chosen === undefined ? `a ${kind} is open` : `a menu is open in which Enter chooses ${chosen}`;
  }
  if (facts.copy_mode) return 'the pane is in copy mode';
  if (people.typing) return 'a person is typing';
  const now = held(delivery, sight);
  if (delivery.prepared.onlyIfOffered && now === 'all') return 'the tool does not offer this command';
  if (now === 'empty') return 'the composer is empty and nothing shows that the prompt was taken';
  return now === 'other' ? 'the composer holds something else' : `the composer shows ${now}`;
}
