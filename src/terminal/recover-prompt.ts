import { type Held, heldText, isHeld } from './held-text.ts';
import type { LaneAttempt } from './lane-attempt.ts';
import { evidenceAt, type LaneContext } from './lane-context.ts';
import type { Evidence, InterruptedDelivery, Recovered } from './port.ts';
import { preparePrompt } from './prepare-prompt.ts';
import { proofOfSubmission } from './prove-submission.ts';
import { takeBack } from './take-back.ts';
import { waitUntil } from './wait-until.ts';

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
  if (attempt?.step === 'before_paste')
    return say('not_submitted', 'lane', { step: attempt.step, found: 'nothing had been typed' });
  const sent = { text, detector, signals, clock };
  const prove = (timeoutMs: number): Promise<Evidence | undefined> =>
    waitUntil(
      on,
      (sight) => (attempt?.baseline ? proofOfSubmission(sight, attempt.baseline, sent) : undefined),
      timeoutMs,
    );
  const held = (): Held => heldText(tracker.sight.facts, text, detector.input);
  await tracker.look();
  // What the typist sent last may still be on its way through the terminal.
  const proof = await prove(attempt?.step === 'entering' ? on.patience.swallowedMs.untold : 0);
  if (proof) return { verdict: 'submitted', evidence: [proof] };
  if (attempt?.step === 'pasting' && held() === 'empty') {
    await waitUntil(on, () => (held() === 'empty' ? undefined : true), on.patience.echoMs);
    if (held() === 'empty')
      return say('not_submitted', 'composer', {
        held: 'empty',
        step: attempt.step,
        found: 'the composer is empty, so the paste had not arrived, and Enter had not been pressed',
      });
  }
  const before = held();
  // A label could stand for anybody's paste; only words prove that the text is ours.
  if (isHeld(before) && before !== 'chip' && (await takeBack(text, on))) {
    // Our keys went in after that Enter. Now that they have had their effect, so has it.
    const late = attempt?.step === 'pasting' ? undefined : await prove(on.patience.swallowedMs.untold);
    if (late) return { verdict: 'submitted', evidence: [late] };
    return say('not_submitted', 'composer', {
      held: before,
      erased: true,
      found: 'it had been typed, stood unsent in the composer, and was taken back',
    });
  }
  const { foreground } = tracker.sight;
  return say('unknown', 'composer', {
    held: held(),
    step: attempt?.step ?? null,
    foreground: foreground.kind,
  });
}
