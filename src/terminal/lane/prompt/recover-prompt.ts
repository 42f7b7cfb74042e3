import { isProcessAlive } from '../../../base/index.ts';
import { evidenceAt, type LaneContext } from '../../lane-context.ts';
import type { Evidence, Recovered } from '../../port.ts';
import { hasMoved } from '../../proof/answered.ts';
import { type Held, heldText, isBeginning, isHeld } from '../../proof/held-text.ts';
import { isOwnLabel } from '../../proof/own-label.ts';
import { proofOfSubmission } from '../../proof/prove-submission.ts';
import { unreadInput } from '../../watch/unread-input.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import type { LaneAttempt } from '../lane-attempt.ts';
import { takeBack } from './take-back.ts';

export interface Interrupted {
  /** As it was typed. */
  text: string;
  sinceMs: number;
  attempt: LaneAttempt | undefined;
}

/** CAO presses Enter a second or two after it was asked; it was asked by somebody who is gone, and may still be at it. */
const OWNER_TYPES_WITHIN_MS = 5_000;

/**
 * Judges by evidence what became of a prompt whose typist was killed or has given up, and takes back what of it stands in
 * the composer. Without evidence either way: unknown; `unseen` while the tool has not answered what was typed.
 */
export async function recoverPrompt(interrupted: Interrupted, on: LaneContext): Promise<Recovered> {
  const { text, attempt } = interrupted;
  const { tracker, clock, patience } = on;
  const { detector, signals } = tracker;
  const say = speaker(interrupted, on);
  const known = knownAlready(interrupted, on);
  if (known) return known;
  const neverEntered = isBeforeEnter(attempt);
  const sent = { text, detector, signals, clock };
  const prove = (timeoutMs: number): Promise<Evidence | undefined> =>
    waitUntil(
      on,
      (sight) => (attempt?.baseline ? proofOfSubmission(sight, attempt.baseline, sent) : undefined),
      timeoutMs,
    );
  const held = (): Held => heldText(tracker.sight.facts, text, detector.input);
  const moved = (): boolean => {
    const { view } = tracker.sight;
    return view !== undefined && attempt?.screen != null && hasMoved(view, attempt.screen);
  };
  await tracker.look();
  const unread = unreadInput(tracker.sight.view?.pane.tty ?? '') ?? 0;
  const unseen = say('unseen', 'composer', { held: held(), unread });
  if (unread > 0) return unseen;
  // Killed between the keys that take it back: the list of commands it had opened may still be there.
  if (attempt?.erasing && held() === 'empty') await takeBack(text, on);
  const proof = await prove(attempt?.step === 'entering' ? onItsWayMs(interrupted, on) : 0);
  if (proof) return { verdict: 'submitted', evidence: [proof] };
  if (neverEntered && held() === 'empty') {
    const found = await judgeEmpty(interrupted, { held, moved }, on);
    if (found)
      return found === 'unseen' ? unseen : say('not_submitted', 'composer', { held: 'empty', found });
  }
  const before = held();
  const ours =
    before === 'chip'
      ? await labelIsOurs(interrupted, on)
      : isHeld(before) || (attempt?.erasing === true && isBeginning(tracker.sight.facts, text));
  if (ours && (await takeBack(text, on))) {
    // Our keys went in after that Enter. Now that they have had their effect, so has it.
    const late = neverEntered ? undefined : await prove(patience.swallowedMs.untold);
    if (late) return { verdict: 'submitted', evidence: [late] };
    return say('not_submitted', 'composer', {
      held: before,
      erased: true,
      found: 'it had been typed, was unsent in the composer, and was taken back',
    });
  }
  const { foreground, facts } = tracker.sight;
  const hidden = held() === 'none' && (facts.dialog.value !== null || foreground.kind !== 'tool');
  // What is ours and could not be taken back yet is tried again: given up, it would stand there for ever.
  const stands = ours && (isHeld(held()) || isBeginning(facts, text));
  const open = hidden || stands || (isHeld(before) && !moved());
  const living = !attempt?.tool || isProcessAlive(attempt.tool);
  return say(open && living && attempt ? 'unseen' : 'unknown', 'composer', {
    held: held(),
    foreground: foreground.kind,
  });
}

/** What the typist sent last may still be on its way through the terminal. */
function onItsWayMs({ sinceMs }: Interrupted, { owner, clock, patience }: LaneContext): number {
  const { untold } = patience.swallowedMs;
  const ageMs = Math.max(0, clock.now().getTime() - sinceMs);
  return owner ? Math.max(untold, OWNER_TYPES_WITHIN_MS - ageMs) : untold;
}

type Say = (verdict: Recovered['verdict'], source: string, facts: Record<string, unknown>) => Recovered;

function speaker({ attempt }: Interrupted, { clock }: LaneContext): Say {
  return (verdict, source, facts) => ({
    verdict,
    evidence: [evidenceAt(clock, source, { step: attempt?.step ?? null, ...facts })],
  });
}

function isBeforeEnter(attempt: LaneAttempt | undefined): boolean {
  return attempt?.step === 'pasting' || attempt?.step === 'pasted';
}

/** What needs no look at the screen: the tool reported the prompt, nothing was typed, or the tool has ended. */
function knownAlready(interrupted: Interrupted, on: LaneContext): Recovered | undefined {
  const { text, sinceMs, attempt } = interrupted;
  const say = speaker(interrupted, on);
  for (const signal of on.tracker.signals) {
    const heard = signal.heard?.(text, sinceMs);
    if (heard) return { verdict: 'submitted', evidence: [heard] };
  }
  if (attempt?.step === 'before_paste')
    return say('not_submitted', 'lane', { found: 'nothing had been typed' });
  if (!isBeforeEnter(attempt) || !attempt?.tool || isProcessAlive(attempt.tool)) return undefined;
  return say('not_submitted', 'process', {
    found: 'the tool it was pasted into has ended, and Enter had not been pressed',
  });
}

/**
 * The composer is empty, and Enter had not been pressed: what of the paste is not there. `unseen` while it may still come;
 * undefined when it has come meanwhile.
 */
async function judgeEmpty(
  { sinceMs, attempt }: Interrupted,
  { held, moved }: { held: () => Held; moved: () => boolean },
  on: LaneContext,
): Promise<string | undefined> {
  const { clock, patience, watch } = on;
  const pasting = attempt?.step === 'pasting';
  if (pasting) await waitUntil(on, () => (held() === 'empty' ? undefined : true), patience.echoMs);
  if (held() !== 'empty') return undefined;
  if (attempt?.erasing)
    return 'it had been typed, and the composer is empty after it was taken back; Enter had not been pressed';
  const ageMs = clock.now().getTime() - sinceMs;
  const drawn = moved() || watch.outputAtMs > clock.monotonic() - ageMs;
  return pasting || (ageMs >= patience.lostMs && drawn)
    ? 'the composer is empty, so the paste had not arrived, and Enter had not been pressed'
    : 'unseen';
}

/** A label could stand for anybody's paste. */
async function labelIsOurs({ text, sinceMs, attempt }: Interrupted, on: LaneContext): Promise<boolean> {
  const { facts, foreground } = on.tracker.sight;
  if (!attempt?.tool || foreground.tool?.pid !== attempt.tool.pid) return false;
  const label = facts.composer.value?.text.trim() ?? '';
  return isOwnLabel(label, { text, sinceMs, baseline: attempt.baseline ?? undefined }, on);
}
