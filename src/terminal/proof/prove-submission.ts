import type { Clock } from '../../base/index.ts';
import { type Detector, mainPart } from '../../screen/index.ts';
import type { SignalReader } from '../../tools/index.ts';
import type { Evidence } from '../port.ts';
import type { Sight } from '../watch/sight.ts';
import { heldText } from './held-text.ts';
import { countMentions, findPrompt, isNewPrompt, type ShownPrompt } from './prompt-rows.ts';

/** What the screen showed when Enter was pressed. */
export interface Baseline {
  shown: ShownPrompt | undefined;
  mentions: number;
  busy: boolean;
  /** Wall time of the paste: an event of the tool before it is about something else. */
  sinceMs: number;
  /** Wall time of Enter, or of the paste while it was not pressed. */
  enteredMs: number;
  /** The label that stood for the text. */
  chip: string | undefined;
}

export interface Sent {
  text: string;
  detector: Detector;
  signals: readonly SignalReader[];
  clock: Clock;
}

export function baselineOf(sight: Sight, sent: Sent, sinceMs: number): Baseline {
  const composer = sight.facts.composer.value;
  const held = heldText(sight.facts, sent.text, sent.detector.input);
  const chip = held === 'chip' ? composer?.text.trim() : undefined;
  const screen = sight.view?.screen;
  return {
    shown: screen && findPrompt(screen, sent.detector, { text: sent.text, chip }),
    mentions: screen ? countMentions(screen, sent.detector, sent.text) : 0,
    busy: sight.facts.busy.value === 'yes',
    sinceMs,
    enteredMs: sent.clock.now().getTime(),
    chip,
  };
}

/**
 * Proof that the tool took the prompt, or undefined. The tool's own report of it, or the composer given back and the
 * prompt where the tool shows what it was told. An empty composer alone proves nothing: a tool can lose a prompt.
 */
export function proofOfSubmission(sight: Sight, baseline: Baseline, sent: Sent): Evidence | undefined {
  for (const signal of sent.signals) {
    const heard = signal.heard?.(sent.text, baseline.sinceMs);
    if (heard) return heard;
  }
  const screen = sight.view?.screen;
  if (!screen || sight.foreground.kind !== 'tool') return undefined;
  const held = heldText(sight.facts, sent.text, sent.detector.input);
  const given = held === 'empty';
  // Of a screen that nobody can read it is not known where the transcript ends and the composer begins.
  const dialog = sight.facts.dialog.value;
  const asked = held === 'none' && dialog !== null && dialog.kind !== 'unknown';
  if (!given && !asked) return undefined;
  const composer = given ? 'empty' : 'replaced by a dialog';
  const after = findPrompt(screen, sent.detector, { text: sent.text, chip: baseline.chip });
  const said = (source: string, facts: Record<string, unknown>): Evidence => ({
    source,
    atUtc: sight.view?.atUtc ?? sight.at.utc,
    facts: { composer, ...facts },
  });
  const fresh = isNewPrompt(baseline.shown, after);
  if (fresh) return said('transcript_row', { row: after?.row.slice(0, 200) });
  // The same words stood there before; then the tool's own word that it began something since decides.
  const moved = fresh === undefined ? movedSince(sent, baseline.enteredMs) : undefined;
  if (moved) return said('transcript_row', { row: after?.row.slice(0, 200), confirmed_by: moved });
  if (!given) return undefined;
  const mentions = countMentions(screen, sent.detector, sent.text);
  if (sight.facts.surface.pending_input.value === 'yes' && mentions > baseline.mentions) {
    return said('pending_row', { pending_input: 'yes' });
  }
  return undefined;
}

/**
 * Whether there are signs that the tool took it, though the composer has not been given back; undefined when the same words
 * stood there before and nobody can tell.
 */
export function seemsTaken(sight: Sight, baseline: Baseline, sent: Sent): boolean | undefined {
  if (sent.signals.some((signal) => signal.heard?.(sent.text, baseline.sinceMs))) return true;
  if (!baseline.busy && movedSince(sent, baseline.enteredMs) !== undefined) return true;
  const screen = sight.view?.screen;
  if (!screen) return undefined;
  const after = findPrompt(screen, sent.detector, { text: sent.text, chip: baseline.chip });
  return isNewPrompt(baseline.shown, after);
}

/**
 * For a command that Enter was to choose in the tool's own menu: the menu is gone, and the composer given back or
 * replaced by what the command asks. Many commands leave no other trace.
 */
export function commandTaken(sight: Sight, sent: Sent): Evidence | undefined {
  const { facts, people, view, foreground } = sight;
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

/** A level signal whose state changed after Enter: it was idle then, so a turn has begun. */
function movedSince({ signals, clock }: Sent, enteredMs: number): string | undefined {
  const now = clock.now().getTime();
  return signals
    .flatMap((signal) => signal.read())
    .find(({ writerAlive, ageMs }) => writerAlive && now - ageMs > enteredMs)?.source;
}

/**
 * The weaker proof, for tools whose transcript does not show the prompt: it was there alone, Enter was pressed, the
 * composer was given back and a turn began that was not running before. Not believed when the transcript shows
 * another prompt as the last one.
 */
export function turnBegan(sight: Sight, baseline: Baseline, sent: Sent): Evidence | undefined {
  if (baseline.busy || sight.people.typing || !sight.view || sight.foreground.kind !== 'tool')
    return undefined;
  if (heldText(sight.facts, sent.text, sent.detector.input) !== 'empty') return undefined;
  const { busy } = sight.facts;
  const shown = busy.value === 'yes' && !busy.doubtful ? busy.evidence.slice(0, 3) : [];
  const told = movedSince(sent, baseline.enteredMs);
  if (shown.length === 0 && told === undefined) return undefined;
  const { screen } = mainPart(sight.view.screen, sent.detector);
  const anyPrompt = screen.rows.some((row) => sent.detector.transcript.prompt.test(row.text));
  if (anyPrompt) return undefined;
  return {
    source: 'turn_began',
    atUtc: sight.view.atUtc,
    facts: { composer: 'empty', busy: shown, ...(told === undefined ? {} : { confirmed_by: told }) },
  };
}
