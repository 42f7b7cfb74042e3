import { crashPoint, isDiskTrouble, isRouseError, type ProcessIdentity } from '../../../base/index.ts';
import type { Why } from '../../../domain/index.ts';
import type { Facts } from '../../../screen/index.ts';
import { tmuxProblemOf } from '../../../tmux/index.ts';
import { evidenceAt, type LaneContext } from '../../lane-context.ts';
import type { DeliveryOutcome, DeliveryResult, Evidence, PromptDelivery } from '../../port.ts';
import { screenDigest, type Typed } from '../../proof/answered.ts';
import type { Held } from '../../proof/held-text.ts';
import type { Baseline, Sent } from '../../proof/prove-submission.ts';
import type { Snapshot } from '../../watch/snapshot.ts';
import type { LaneAttempt } from '../lane-attempt.ts';
import type { QueuedKeys } from '../queued-keys.ts';
import type { PreparedPrompt } from './prepare-prompt.ts';
import { heldIn } from './slash-command.ts';

/** The paste that was sent to the tool. */
export interface Pasted extends Typed {
  /** Wall time. Earlier events of the tool are about something else. */
  since: Date;
  tool: ProcessIdentity | undefined;
  /** Monotonic time at which the composer was seen to hold the text. */
  echoedMs?: number;
  /** The screen just before the paste. */
  baseline: Baseline | undefined;
}

/** One prompt on its way through the lane. */
export interface Delivery extends LaneContext {
  prompt: PromptDelivery;
  prepared: PreparedPrompt;
  sent: Sent;
  pasted: Pasted;
  /** What was seen, in order; becomes part of the result. */
  evidence: Evidence[];
  /** Called when submission is proven, with what the screen showed before Enter. */
  submitted: (before: Facts) => void;
  /** Interrupts and keys that arrive during the delivery. */
  queuedKeys: QueuedKeys;
}

export type DeliveryEnd = Omit<DeliveryResult, 'evidence'>;

/** Not one byte of the prompt has reached the tool. */
export function untouched(outcome: DeliveryOutcome, ...reasons: Why[]): DeliveryEnd {
  return { outcome, reasons, untouched: true };
}

export function touched(outcome: DeliveryOutcome, ...reasons: Why[]): DeliveryEnd {
  return { outcome, reasons, untouched: false };
}

/** A redraw may come between a look and the typing after it. That costs only another look. */
export const MAX_REDRAWS = 40;

/** tmux refused, or there was no pane: certainly no byte was typed. */
export function nothingTyped(error: unknown): boolean {
  if (!isRouseError(error)) return false;
  const problem = tmuxProblemOf(error);
  return problem === 'refused' || problem === 'no_pane';
}

export function held({ sent }: Delivery, snapshot: Snapshot): Held {
  return heldIn(snapshot, sent.text, sent.detector.input);
}

/** Notes the step before it is taken. */
export function noteStep(
  { notes, prompt, sent, tracker, pasted }: Delivery,
  step: LaneAttempt['step'],
  baseline: Baseline | null,
): void {
  const { view, foreground } = tracker.snapshot;
  notes.keep({
    request_id: prompt.requestId,
    owner: prompt.owner ?? { source: 'direct', id: prompt.requestId },
    text: sent.text,
    since_utc: pasted.since.toISOString(),
    step,
    baseline,
    screen: view ? screenDigest(view) : null,
    tool: pasted.tool ?? foreground.tool ?? null,
  });
}

/** Returns false if the disk refuses the note now; the earlier note stays. */
export function tryNoteStep(...[delivery, step, baseline]: Parameters<typeof noteStep>): boolean {
  try {
    noteStep(delivery, step, baseline);
    return true;
  } catch (error) {
    if (!isDiskTrouble(error)) throw error;
    return false;
  }
}

/** The tool took the prompt. That is on record before anyone is notified. */
export async function proven(
  delivery: Delivery,
  proof: Evidence,
  { before, enters }: { before: Facts; enters: number },
): Promise<DeliveryEnd> {
  const ms = Math.round(delivery.clock.monotonic() - delivery.pasted.atMs);
  const evidence = { ...proof, facts: { ...proof.facts, enters, ms } };
  delivery.evidence.push(evidence);
  // A command need not begin a turn. If it does, the screen shows it.
  if (proof.source !== 'command') delivery.submitted(before);
  await delivery.prompt.record('submitted', evidence);
  crashPoint('lane.submitted');
  return touched('submitted');
}

/**
 * Nothing of the prompt is left in the tool. A caller for whom it cannot be typed again automatically gets a failure.
 */
export function endUntaken({ prompt, clock, evidence }: Delivery, found: string): DeliveryEnd {
  evidence.push(evidenceAt(clock, 'composer', { found }));
  return touched(prompt.patient ? 'returned' : 'failed', found);
}

export async function record(
  delivery: Delivery,
  stage: 'typing' | 'typed',
  seen: { source: string; facts: Record<string, unknown> },
): Promise<void> {
  const evidence = evidenceAt(delivery.clock, seen.source, seen.facts);
  delivery.evidence.push(evidence);
  await delivery.prompt.record(stage, evidence);
}

/** What is in the way, in words for people. */
export function describeObstacle(delivery: Delivery): string {
  const { snapshot } = delivery.tracker;
  const { facts, foreground, people, away } = snapshot;
  if (away !== undefined) return away;
  if (foreground.kind !== 'tool') return `in the foreground is ${foreground.kind}, not the tool`;
  if (facts.dialog.value) return `a dialog (${facts.dialog.value.kind}) is open`;
  if (facts.menu.value) {
    const { kind, chosen } = facts.menu.value;
    return chosen === undefined ? `a ${kind} is open` : `a menu is open in which Enter chooses ${chosen}`;
  }
  if (facts.copy_mode) return 'the pane is in copy mode';
  if (people.typing) return 'a person is typing';
  const now = held(delivery, snapshot);
  if (delivery.prepared.onlyIfOffered && now === 'all') return 'the tool does not offer this command';
  if (now === 'empty') return 'the composer is empty and nothing shows that the prompt was taken';
  return now === 'other' ? 'the composer holds something else' : `the composer shows ${now}`;
}
