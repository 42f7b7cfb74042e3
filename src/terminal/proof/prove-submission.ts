import type { Clock } from '../../base/index.ts';
import { type Detector, mainPart } from '../../screen/index.ts';
import type { SignalReader } from '../../tools/index.ts';
import type { Evidence } from '../port.ts';
import type { Snapshot } from '../watch/snapshot.ts';
import { heldText } from './held-text.ts';
import { countMentions, findPrompt, isNewPrompt, type ShownPrompt } from './prompt-rows.ts';

/** The screen when Enter was pressed. */
export interface Baseline {
  shown: ShownPrompt | undefined;
  mentions: number;
  busy: boolean;
  /** Wall time of the paste. Earlier events of the tool are about something else. */
  sinceMs: number;
  /** Wall time of Enter, or of the paste if Enter was not pressed. */
  enteredMs: number;
  /** The label that represented the text. */
  chip: string | undefined;
}

export interface Sent {
  text: string;
  detector: Detector;
  signals: readonly SignalReader[];
  clock: Clock;
}

export function baselineOf(snapshot: Snapshot, sent: Sent, sinceMs: number): Baseline {
  const composer = snapshot.facts.composer.value;
  const held = heldText(snapshot.facts, sent.text, sent.detector.input);
  const chip = held === 'chip' ? composer?.text.trim() : undefined;
  const screen = snapshot.view?.screen;
  return {
    shown: screen && findPrompt(screen, sent.detector, { text: sent.text, chip }),
    mentions: screen ? countMentions(screen, sent.detector, sent.text) : 0,
    busy: snapshot.facts.busy.value === 'yes',
    sinceMs,
    enteredMs: sent.clock.now().getTime(),
    chip,
  };
}

/**
 * Proof that the tool took the prompt, or undefined. Proof is the tool's own report, or an empty composer together with
 * the prompt where the tool shows what was sent. An empty composer alone proves nothing: a tool can lose a prompt.
 */
export function proofOfSubmission(snapshot: Snapshot, baseline: Baseline, sent: Sent): Evidence | undefined {
  for (const signal of sent.signals) {
    const received = signal.received?.(sent.text, baseline.sinceMs);
    if (received) return received;
  }
  const screen = snapshot.view?.screen;
  if (!screen || snapshot.foreground.kind !== 'tool') return undefined;
  const held = heldText(snapshot.facts, sent.text, sent.detector.input);
  const isEmpty = held === 'empty';
  // On an unreadable screen it is unknown where the transcript ends and the composer begins.
  const dialog = snapshot.facts.dialog.value;
  const asked = held === 'none' && dialog !== null && dialog.kind !== 'unknown';
  if (!isEmpty && !asked) return undefined;
  const composer = isEmpty ? 'empty' : 'replaced by a dialog';
  const after = findPrompt(screen, sent.detector, { text: sent.text, chip: baseline.chip });
  const proof = (source: string, facts: Record<string, unknown>): Evidence => ({
    source,
    atUtc: snapshot.view?.atUtc ?? snapshot.at.utc,
    facts: { composer, ...facts },
  });
  const fresh = isNewPrompt(baseline.shown, after);
  if (fresh) return proof('transcript_row', { row: after?.row.slice(0, 200) });
  // The same words were there before, so the tool's own report that it began something since then decides.
  const moved = fresh === undefined ? movedSince(sent, baseline.enteredMs) : undefined;
  if (moved) return proof('transcript_row', { row: after?.row.slice(0, 200), confirmed_by: moved });
  if (!isEmpty) return undefined;
  const mentions = countMentions(screen, sent.detector, sent.text);
  if (snapshot.facts.surface.pending_input.value === 'yes' && mentions > baseline.mentions) {
    return proof('pending_row', { pending_input: 'yes' });
  }
  return undefined;
}

/**
 * Whether there are signs that the tool took it although the composer is not back; undefined if the same words were
 * there before and nothing else decides.
 */
export function seemsTaken(snapshot: Snapshot, baseline: Baseline, sent: Sent): boolean | undefined {
  if (sent.signals.some((signal) => signal.received?.(sent.text, baseline.sinceMs))) return true;
  if (!baseline.busy && movedSince(sent, baseline.enteredMs) !== undefined) return true;
  const screen = snapshot.view?.screen;
  if (!screen) return undefined;
  const after = findPrompt(screen, sent.detector, { text: sent.text, chip: baseline.chip });
  return isNewPrompt(baseline.shown, after);
}

/**
 * For a command that Enter was to choose in the tool's own menu: the menu is gone, and the composer is back or replaced
 * by what the command asks. Many commands leave no other trace.
 */
export function commandTaken(snapshot: Snapshot, sent: Sent): Evidence | undefined {
  const { facts, people, view, foreground } = snapshot;
  if (!view || foreground.kind !== 'tool' || people.typing || facts.menu.value) return undefined;
  const held = heldText(facts, sent.text, sent.detector.input);
  const asked = held === 'none' && facts.dialog.value !== null;
  if (held !== 'empty' && !asked) return undefined;
  const composer = asked ? 'replaced by a dialog' : 'empty';
  return {
    source: 'command',
    atUtc: view.atUtc,
    facts: { composer, menu: 'closed', chosen: sent.text.trim() },
  };
}

/** A level signal that changed after Enter: it was idle then, so a turn has begun. */
function movedSince({ signals, clock }: Sent, enteredMs: number): string | undefined {
  const now = clock.now().getTime();
  return signals
    .flatMap((signal) => signal.read())
    .find(({ writerAlive, ageMs }) => writerAlive && now - ageMs > enteredMs)?.source;
}

/**
 * The weaker proof, for tools whose transcript does not show the prompt: it was in the composer alone, Enter was
 * pressed, the composer is back, and a turn began that was not running before. Not accepted if the transcript shows
 * another prompt as the last one.
 */
export function turnBegan(snapshot: Snapshot, baseline: Baseline, sent: Sent): Evidence | undefined {
  if (baseline.busy || snapshot.people.typing || !snapshot.view || snapshot.foreground.kind !== 'tool')
    return undefined;
  if (heldText(snapshot.facts, sent.text, sent.detector.input) !== 'empty') return undefined;
  const { busy } = snapshot.facts;
  const shown = busy.value === 'yes' && !busy.doubtful ? busy.evidence.slice(0, 3) : [];
  const movedSignal = movedSince(sent, baseline.enteredMs);
  if (shown.length === 0 && movedSignal === undefined) return undefined;
  const { screen } = mainPart(snapshot.view.screen, sent.detector);
  const anyPrompt = screen.rows.some((row) => sent.detector.transcript.prompt.test(row.text));
  if (anyPrompt) return undefined;
  return {
    source: 'turn_began',
    atUtc: snapshot.view.atUtc,
    facts: {
      composer: 'empty',
      busy: shown,
      ...(movedSignal === undefined ? {} : { confirmed_by: movedSignal }),
    },
  };
}
