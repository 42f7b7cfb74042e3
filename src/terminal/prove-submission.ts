import type { Detector } from '../screen/index.ts';
import { heldText } from './held-text.ts';
import type { Evidence } from './port.ts';
import { countMentions, findPrompt, isNewPrompt, type ShownPrompt } from './prompt-rows.ts';
import type { SignalReader } from './signals/index.ts';
import type { Sight } from './tracker.ts';

/** What was to be seen when Enter was pressed. */
export interface Baseline {
  shown: ShownPrompt | undefined;
  mentions: number;
  busy: boolean;
  /** Wall time of the paste: an event of the tool before it is about something else. */
  sinceMs: number;
  /** The label that stood for the text. */
  chip: string | undefined;
}

export interface Sent {
  text: string;
  detector: Detector;
  signals: readonly SignalReader[];
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
  const asked = held === 'none' && sight.facts.dialog.value !== null;
  if (!given && !asked) return undefined;
  const composer = given ? 'empty' : 'replaced by a dialog';
  const after = findPrompt(screen, sent.detector, { text: sent.text, chip: baseline.chip });
  const said = (source: string, facts: Record<string, unknown>): Evidence => ({
    source,
    atUtc: sight.view?.atUtc ?? sight.at.utc,
    facts: { composer, ...facts },
  });
  if (isNewPrompt(baseline.shown, after)) return said('transcript_row', { row: after?.row.slice(0, 200) });
  if (!given) return undefined;
  const mentions = countMentions(screen, sent.detector, sent.text);
  if (sight.facts.surface.pending_input.value === 'yes' && mentions > baseline.mentions) {
    return said('pending_row', { pending_input: 'yes' });
  }
  return undefined;
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
  if (busy.value !== 'yes' || busy.doubtful) return undefined;
  const anyPrompt = sight.view.screen.rows.some((row) => sent.detector.transcript.prompt.test(row.text));
  if (anyPrompt) return undefined;
  return {
    source: 'turn_began',
    atUtc: sight.view.atUtc,
    facts: { composer: 'empty', busy: busy.evidence.slice(0, 3) },
  };
}
