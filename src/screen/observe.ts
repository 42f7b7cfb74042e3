import type { Tristate, TurnPhase } from '../domain/index.ts';
import type { Detector, Meaning, Mode } from './detector.ts';
import type { Fact, Facts, Menu, ProcessFacts } from './facts.ts';
import type { Composer } from './find-composer.ts';
import type { Dialog } from './find-dialog.ts';
import { BLIND, type Look, look } from './look.ts';
import type { Screen } from './model/screen.ts';
import { type SignalVerdict, type ToolSignal, weighSignals } from './tool-signals.ts';
import { versionStatus } from './version-range.ts';

export interface ObserveInput {
  /** Undefined if nothing could be captured. */
  screen: Screen | undefined;
  detector: Detector;
  process: ProcessFacts;
  signals?: readonly ToolSignal[];
  /** Age of the screen. */
  ageMs?: number;
}

/**
 * Combines a screen, the foreground process and the tool's own signals. Anything unrecognised is `unknown`; a composer
 * counts only around the cursor; if two sources disagree, the one against readiness wins.
 */
export function observe({ screen, detector, process, signals = [], ageMs = 0 }: ObserveInput): Facts {
  const alive = process.foreground === 'tool' || process.foreground === 'unknown';
  const seen = alive && screen ? look(screen, detector, process.hostname) : BLIND;
  const verdict = weighSignals(alive ? signals : []);
  const status = versionStatus(process.version, detector.versions);
  const judged = judge(status === 'outside' ? withoutGuess(seen) : seen, verdict);
  const fact = <T>(value: T, source = 'screen'): Fact<T> => ({
    value,
    source,
    ageMs: source === 'screen' ? ageMs : verdict.ageMs,
  });
  return {
    tool: detector.tool,
    version: {
      value: process.version ?? null,
      source: 'process',
      ageMs: process.ageMs ?? 0,
      status,
    },
    process: { value: process.foreground, source: 'process', ageMs: process.ageMs ?? 0 },
    ...surfaceFacts(seen, verdict, judged, fact),
    ...turnFacts(seen, verdict, fact),
    copy_mode: process.copyMode ?? false,
    person_typing: process.personTyping ?? false,
    excerpt: seen.composer || judged.asks ? '' : seen.excerpt,
  };
}

/**
 * A dialog of unknown kind is a guess from the shape of rows. In an unchecked version it may be the composer itself, so no
 * dialog is claimed; without a composer the screen is unrecognised in any case.
 */
function withoutGuess(seen: Look): Look {
  return !seen.composer && seen.dialog?.kind === 'unknown' ? { ...seen, dialog: undefined } : seen;
}

type MakeFact = <T>(value: T, source?: string) => Fact<T>;

interface Judgement {
  /** Evidence of a running turn: what shows it now, and the same with doubtful evidence. */
  shown: string[];
  busy: string[];
  asks: Dialog | null;
  menu: Menu | null;
  mode: Mode | undefined;
  /** The composer takes prompts. */
  open: boolean;
  /** … and it holds no text. */
  blank: boolean;
}

function judge(seen: Look, verdict: SignalVerdict): Judgement {
  const { composer, title, dialog } = seen;
  const shown = shownBusy(seen, verdict);
  const busy = [...shown, ...doubtfulBusy(seen, verdict)];
  const waiting = title === 'waiting' || verdict.state === 'waiting';
  const asks = dialog ?? (waiting ? { kind: 'unknown' as const, excerpt: seen.excerpt } : null);
  const trusted = !composer?.shape.needsIdleSignal || isProvenIdle(seen, verdict);
  const mode = composer && has(seen, 'shell_mode') ? 'shell' : composer?.mode;
  return {
    shown,
    busy,
    asks,
    menu: menuOf(seen),
    mode,
    open: mode === 'prompt' && trusted && !seen.strange,
    blank: composer?.state === 'empty' || composer?.state === 'placeholder',
  };
}

type SurfaceKeys =
  | 'composer'
  | 'busy'
  | 'proven_idle'
  | 'reported'
  | 'dialog'
  | 'menu'
  | 'limit'
  | 'logged_out'
  | 'surface'
  | 'phase'
  | 'business_state'
  | 'input_mode'
  | 'exit_armed'
  | 'contradictions';

function surfaceFacts(
  seen: Look,
  verdict: SignalVerdict,
  judged: Judgement,
  fact: MakeFact,
): Pick<Facts, SurfaceKeys> {
  const { composer } = seen;
  const { shown, busy, asks, menu, mode, open, blank } = judged;
  const armed = has(seen, 'exit_armed');
  const quiet = !asks && !menu && shown.length === 0 && !armed;
  const active = busy.length > 0;
  const doubtful = active && shown.length === 0;
  const voice = verdict.state === 'none' ? 'screen' : (verdict.source ?? 'screen');
  const phase: TurnPhase = active ? 'active' : open && !asks ? 'ready' : 'unknown';
  const posture: Tristate = open && blank && quiet ? 'yes' : asks || shown.length > 0 ? 'no' : 'unknown';
  return {
    composer: fact(composer && mode ? composerFact(composer, mode) : null),
    busy: {
      ...fact<Tristate>(
        active ? 'yes' : open ? 'no' : 'unknown',
        doubtful && verdict.state === 'busy' ? voice : 'screen',
      ),
      evidence: busy,
      doubtful,
    },
    proven_idle: !active && isProvenIdle(seen, verdict),
    reported: verdict.state,
    dialog: fact(asks, asks && !seen.dialog ? voice : 'screen'),
    menu: fact(menu),
    limit: fact(seen.limit ?? null),
    logged_out: fact(seen.signs.find(({ means }) => means === 'logged_out')?.row ?? null),
    surface: {
      accepting_input: fact<Tristate>(asks ? 'no' : open && !menu ? 'yes' : 'unknown'),
      editing_input: fact(editing(composer)),
      ready_posture: fact(posture),
      pending_input: fact<Tristate>(has(seen, 'pending') ? 'yes' : composer ? 'no' : 'unknown'),
    },
    phase: fact(phase),
    business_state: asks ? 'awaiting_operator' : active ? 'working' : open ? 'idle' : 'unknown',
    input_mode: asks || menu || (mode && mode !== 'prompt') ? 'modal' : open ? 'freeform' : 'unknown',
    exit_armed: armed,
    contradictions: contradictions(seen, verdict, open && blank),
  };
}

function turnFacts(
  seen: Look,
  verdict: SignalVerdict,
  fact: MakeFact,
): Pick<Facts, 'interrupted' | 'known_failure' | 'success_candidate' | 'turn_signature' | 'evidence'> {
  const of = (means: Meaning, isReported: boolean): Fact<boolean> =>
    isReported ? fact(true, String(verdict.source)) : fact(has(seen, means));
  const titled = seen.title === 'neutral' ? [] : [{ means: 'title' as const, text: seen.title }];
  const signalEvidence = verdict.state === 'none' ? [] : [`${verdict.source} says ${verdict.state}`];
  return {
    interrupted: of('interrupted', verdict.interrupted),
    known_failure: of(has(seen, 'logged_out') ? 'logged_out' : 'failure', verdict.failed),
    success_candidate: of('success', false),
    turn_signature: seen.turnSignature,
    evidence: [
      ...seen.signs.map(({ means, row }) => ({ means, text: row })),
      ...titled,
      ...signalEvidence.map((text) => ({ means: 'signal' as const, text })),
    ],
  };
}

function has(seen: Look, means: Meaning): boolean {
  return seen.signs.some((sign) => sign.means === means);
}

/** Title or signal shows idle. A title also does so while a dialog is open: without a composer it proves nothing. */
function saysIdle({ title }: Look, { state }: SignalVerdict): boolean {
  return title === 'idle' || state === 'idle';
}

function isProvenIdle(seen: Look, verdict: SignalVerdict): boolean {
  return saysIdle(seen, verdict) || has(seen, 'idle');
}

function composerFact(composer: Composer, mode: Mode): NonNullable<Facts['composer']['value']> {
  const { state, text, first, last, textColumn, right } = composer;
  return { state, mode, text, region: { first, last, textColumn, right } };
}

/** Evidence of a turn whose end may not be reported. */
function doubtfulBusy(seen: Look, verdict: SignalVerdict): string[] {
  const waits = seen.unanswered === 'command' ? !saysIdle(seen, verdict) : seen.unanswered !== null;
  const found = waits ? ['a prompt without an answer'] : [];
  if (has(seen, 'starting')) found.push('it may still be starting');
  if (verdict.state === 'busy' && verdict.isEvent) found.push(`${verdict.source}: busy`);
  return found;
}

/** Evidence of a turn that runs at this moment. */
function shownBusy(seen: Look, verdict: SignalVerdict): string[] {
  const idle = saysIdle(seen, verdict);
  const found = seen.signs
    .filter(({ means, weak }) => means === 'busy' && !(weak && idle))
    .map(({ row }) => row);
  const elsewhere = has(seen, 'background');
  if (seen.title === 'busy' && !elsewhere) found.push('title');
  if (verdict.state === 'busy' && !verdict.isEvent && !elsewhere) found.push(`${verdict.source}: busy`);
  if (seen.composer?.shape.greyGlyphIsBusy && seen.composer.glyphIsGrey) found.push('prompt glyph');
  if (seen.unsettled && !idle && !elsewhere) found.push('turn without an end');
  return found;
}

function menuOf({ composer, signs, chosen, tooTall, crowded }: Look): Menu | null {
  const sign = signs.find(({ means }) => means === 'menu');
  if (composer?.mode === 'search') return { kind: 'search', row: composer.text };
  // A list of commands belongs to a slash; without one the same marks mean something else.
  if (chosen !== undefined && composer?.text.startsWith('/'))
    return { kind: 'menu', row: sign?.row ?? chosen, chosen };
  if (sign) return { kind: 'menu', row: sign.row };
  return tooTall || crowded ? { kind: 'help', row: '' } : null;
}

function editing(composer: Composer | undefined): Tristate {
  if (!composer || composer.state === 'unclear') return 'unknown';
  return composer.state === 'draft' ? 'yes' : 'no';
}

function contradictions({ title }: Look, verdict: SignalVerdict, looksReady: boolean): string[] {
  const found: string[] = [];
  if (looksReady && title === 'waiting')
    found.push('title says a person is asked, the screen shows a composer');
  if (looksReady && verdict.state === 'waiting') {
    found.push(`${verdict.source} says a person is asked, the screen shows a composer`);
  }
  return found;
}
