import { heldText, isHeld } from './held-text.ts';
import type { LaneAttempt } from './lane-attempt.ts';
import { evidenceAt, type LaneContext } from './lane-context.ts';
import type { InterruptedDelivery, Recovered } from './port.ts';
import { preparePrompt } from './prepare-prompt.ts';
import { proofOfSubmission } from './prove-submission.ts';
import { takeBack } from './take-back.ts';

/** Judges by evidence what became of a prompt whose typist was killed. Without evidence either way: unknown. */
export async function recoverPrompt(
  interrupted: InterruptedDelivery,
  attempt: LaneAttempt | undefined,
  on: LaneContext,
): Promise<Recovered> {
  const { tracker, clock } = on;
  const { detector, signals } = tracker;
  const { text } = preparePrompt(interrupted.text, detector.input);
  const say = (verdict: Recovered['verdict'], source: string, facts: Record<string, unknown>): Recovered => ({
    verdict,
    evidence: [evidenceAt(clock, source, facts)],
  });
  for (const signal of signals) {
    const heard = signal.heard?.(text, Date.parse(interrupted.sinceUtc));
    if (heard) return { verdict: 'submitted', evidence: [heard] };
  }
  if (attempt?.step === 'before_paste') return say('not_submitted', 'lane', { step: attempt.step });
  const sight = await tracker.look();
  const sent = { text, detector, signals, clock };
  const proof = attempt?.baseline ? proofOfSubmission(sight, attempt.baseline, sent) : undefined;
  if (proof) return { verdict: 'submitted', evidence: [proof] };
  const held = heldText(sight.facts, text, detector.input);
  // A label could stand for anybody's paste; only words prove that the text is ours.
  if (isHeld(held) && held !== 'chip' && (await takeBack(text, on))) {
    return say('not_submitted', 'composer', { held, erased: true });
  }
  return say('unknown', 'composer', { held, step: attempt?.step ?? null, foreground: sight.foreground.kind });
}
