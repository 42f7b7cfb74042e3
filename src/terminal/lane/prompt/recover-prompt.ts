import { isProcessAlive } from '../../../base/index.ts';
import { evidenceAt, type LaneContext } from '../../lane-context.ts';
import type { Evidence, Recovered } from '../../port.ts';
import { hasMoved } from '../../proof/answered.ts';
import { type Held, heldText, isBeginning, isHeld } from '../../proof/held-text.ts';
import { isOwnLabel } from '../../proof/own-label.ts';
import { proofOfSubmission, seemsTaken } from '../../proof/prove-submission.ts';
import { unreadInput } from '../../watch/unread-input.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import type { LaneAttempt } from '../lane-attempt.ts';
import { takeBack } from './take-back.ts';

export interface Interrupted {
  /** The text as it was typed. */
  text: string;
  sinceMs: number;
  attempt: LaneAttempt | undefined;
}

/** An owner presses Enter a second or two after the request. The process that asked is gone, but the owner may still type. */
const OWNER_TYPES_WITHIN_MS = 5_000;

/**
 * Judges by evidence how a prompt ended whose process was killed or gave up, and erases what is left of it in the
 * composer. Without evidence the verdict is unknown; `unseen` while the tool has not reacted to the typed text.
 */
export async function recoverPrompt(interrupted: Interrupted, context: LaneContext): Promise<Recovered> {
  const { text, attempt } = interrupted;
  const { tracker, clock, patience } = context;
  const { detector, signals } = tracker;
  const say = verdictMaker(interrupted, context);
  const known = knownAlready(interrupted, context);
  if (known) return known;
  const neverEntered = isBeforeEnter(attempt);
  const sent = { text, detector, signals, clock };
  const prove = (timeoutMs: number): Promise<Evidence | undefined> =>
    waitUntil(
      context,
      (snapshot) => (attempt?.baseline ? proofOfSubmission(snapshot, attempt.baseline, sent) : undefined),
      timeoutMs,
    );
  const held = (): Held => heldText(tracker.snapshot.facts, text, detector.input);
  const moved = (): boolean => {
    const { view } = tracker.snapshot;
    return view !== undefined && attempt?.screen != null && hasMoved(view, attempt.screen);
  };
  await tracker.look();
  const unread = unreadInput(tracker.snapshot.view?.pane.tty ?? '') ?? 0;
  const unseen = say('unseen', 'composer', { held: held(), unread });
  if (unread > 0) return unseen;
  // Killed while erasing: the command list that the text had opened may still be there.
  if (attempt?.erasing && held() === 'empty') await takeBack(text, context);
  const proof = await prove(attempt?.step === 'entering' ? onItsWayMs(interrupted, context) : 0);
  if (proof) return { verdict: 'submitted', evidence: [proof] };
  if (neverEntered && held() === 'empty') {
    const found = await judgeEmpty(interrupted, { held, moved }, context);
    if (found)
      return found === 'unseen' ? unseen : say('not_submitted', 'composer', { held: 'empty', found });
  }
  const before = held();
  const ours =
    before === 'chip'
      ? await labelIsOurs(interrupted, context)
      : isHeld(before) || (attempt?.erasing === true && isBeginning(tracker.snapshot.facts, text));
  if (ours && (await takeBack(text, context))) {
    // Our keys were sent after that Enter. They have taken effect, so the Enter has too.
    const late = neverEntered ? undefined : await prove(patience.swallowedMs.withoutIdleSignal);
    if (late) return { verdict: 'submitted', evidence: [late] };
    if (!neverEntered && mayBeTaken(interrupted, context))
      return say('unknown', 'composer', {
        held: before,
        erased: true,
        found:
          'Enter may have been pressed, and nothing shows whether the tool took the text before it was taken back',
      });
    return say('not_submitted', 'composer', {
      held: before,
      erased: true,
      found: 'it had been typed, was unsent in the composer, and was taken back',
    });
  }
  const { foreground, facts } = tracker.snapshot;
  const hidden = held() === 'none' && (facts.dialog.value !== null || foreground.kind !== 'tool');
  // Erasing our text is tried again; otherwise it would stay there for ever.
  const isStillThere = ours && (isHeld(held()) || isBeginning(facts, text));
  const open = hidden || isStillThere || (isHeld(before) && !moved());
  const living = !attempt?.tool || isProcessAlive(attempt.tool);
  return say(open && living && attempt ? 'unseen' : 'unknown', 'composer', {
    held: held(),
    foreground: foreground.kind,
  });
}

/** Whether what was taken back may have been a copy that the tool had not redrawn yet, after it took the prompt. */
function mayBeTaken({ text, attempt }: Interrupted, { tracker, clock }: LaneContext): boolean {
  const { detector, signals, snapshot } = tracker;
  if (!attempt?.baseline) return true;
  return seemsTaken(snapshot, attempt.baseline, { text, detector, signals, clock }) !== false;
}

/** The last keys may still be on their way through the terminal. */
function onItsWayMs({ sinceMs }: Interrupted, { owner, clock, patience }: LaneContext): number {
  const { withoutIdleSignal: untold } = patience.swallowedMs;
  const ageMs = Math.max(0, clock.now().getTime() - sinceMs);
  return owner ? Math.max(untold, OWNER_TYPES_WITHIN_MS - ageMs) : untold;
}

type MakeVerdict = (
  verdict: Recovered['verdict'],
  source: string,
  facts: Record<string, unknown>,
) => Recovered;

function verdictMaker({ attempt }: Interrupted, { clock }: LaneContext): MakeVerdict {
  return (verdict, source, facts) => ({
    verdict,
    evidence: [evidenceAt(clock, source, { step: attempt?.step ?? null, ...facts })],
  });
}

function isBeforeEnter(attempt: LaneAttempt | undefined): boolean {
  return attempt?.step === 'pasting' || attempt?.step === 'pasted';
}

/** Verdicts that need no look at the screen: the tool reported the prompt, nothing was typed, or the tool has ended. */
function knownAlready(interrupted: Interrupted, context: LaneContext): Recovered | undefined {
  const { text, sinceMs, attempt } = interrupted;
  const say = verdictMaker(interrupted, context);
  for (const signal of context.tracker.signals) {
    const received = signal.received?.(text, sinceMs);
    if (received) return { verdict: 'submitted', evidence: [received] };
  }
  if (attempt?.step === 'before_paste')
    return say('not_submitted', 'lane', { found: 'nothing had been typed' });
  if (!isBeforeEnter(attempt) || !attempt?.tool || isProcessAlive(attempt.tool)) return undefined;
  return say('not_submitted', 'process', {
    found: 'the tool it was pasted into has ended, and Enter had not been pressed',
  });
}

/**
 * The composer is empty and Enter was not pressed, so the paste is missing. `unseen` while it may still appear;
 * undefined if it has appeared by now.
 */
async function judgeEmpty(
  { sinceMs, attempt }: Interrupted,
  { held, moved }: { held: () => Held; moved: () => boolean },
  context: LaneContext,
): Promise<string | undefined> {
  const { clock, patience, watch } = context;
  const pasting = attempt?.step === 'pasting';
  if (pasting) await waitUntil(context, () => (held() === 'empty' ? undefined : true), patience.echoMs);
  if (held() !== 'empty') return undefined;
  if (attempt?.erasing)
    return 'it had been typed, and the composer is empty after it was taken back; Enter had not been pressed';
  const ageMs = clock.now().getTime() - sinceMs;
  const drawn = moved() || watch.outputAtMs > clock.monotonic() - ageMs;
  return pasting || (ageMs >= patience.lostMs && drawn)
    ? 'the composer is empty, so the paste had not arrived, and Enter had not been pressed'
    : 'unseen';
}

/** A label could be anyone's paste. */
async function labelIsOurs({ text, sinceMs, attempt }: Interrupted, context: LaneContext): Promise<boolean> {
  const { facts, foreground } = context.tracker.snapshot;
  if (!attempt?.tool || foreground.tool?.pid !== attempt.tool.pid) return false;
  const label = facts.composer.value?.text.trim() ?? '';
  return isOwnLabel(label, { text, sinceMs, baseline: attempt.baseline ?? undefined }, context);
}
