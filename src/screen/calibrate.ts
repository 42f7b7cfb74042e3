import { textColumns } from '../base/index.ts';
import type { ComposerShape, Detector } from './detector.ts';
import { findComposer } from './find-composer.ts';
import { findDialog } from './find-dialog.ts';
import { footerOf, withoutNumbers } from './learned-frame.ts';
import { type Row, rowAt, type Screen } from './model/screen.ts';
import { sameStyle } from './model/style.ts';

/** The name of a learned detector. */
export const CALIBRATED_TOOL = 'calibrated';

/** Characters that no known dialog uses as keys; one column each. */
export const CALIBRATION_MARKER = '˙ˑ˙';

export interface CalibrationInput {
  /** The screen with an empty composer, the one with the marker typed, and the one after it was erased. */
  before: Screen;
  marked: Screen;
  after: Screen;
  marker?: string;
}

/**
 * Whether a detector written for other versions of a tool reads these screens correctly: composer empty, holding exactly
 * the mark, and empty again.
 */
export function readsMark(detector: Detector, { before, marked, after, marker }: CalibrationInput): boolean {
  const read = (screen: Screen): string | undefined => {
    const composer = findComposer(screen, detector.composers);
    if (composer?.mode !== 'prompt' || composer.state === 'unclear') return undefined;
    return composer.state === 'draft' ? composer.text : '';
  };
  return read(before) === '' && read(marked) === (marker ?? CALIBRATION_MARKER) && read(after) === '';
}

export type Calibrated = { ok: true; detector: Detector } | { ok: false; because: string };

/**
 * Whether a marker may be typed at all. Nothing is typed into a dialog, so a screen that is shaped like one, or has no
 * place for text, is refused before a key is pressed.
 */
export function mayCalibrate(screen: Screen): { ok: true } | { ok: false; because: string } {
  if (!screen.cursor || screen.cursor.y >= screen.height) return refuse('the place of the cursor is unknown');
  if (markChars(screen) > 0) return refuse('characters of the mark are already on the screen');
  if (!promptsAtCursor(screen)) return refuse('nothing shows that text is taken at the cursor');
  const dialog = findDialog(screen);
  if (dialog) return refuse(`the screen has the shape of a dialog (${dialog.kind})`);
  const row = rowAt(screen, screen.cursor.y);
  const typed = row.slice(screen.cursor.x - 1, screen.cursor.x);
  if (screen.cursor.x > 0 && /[\p{L}\p{N}]/u.test(typed)) return refuse('there is text before the cursor');
  return { ok: true };
}

/** The number of characters of the mark on a screen; 0 if nothing is left of it. */
export function markChars(screen: Screen): number {
  const own = new Set(CALIBRATION_MARKER);
  return screen.rows.reduce((sum, row) => sum + [...row.text].filter((char) => own.has(char)).length, 0);
}

/**
 * A glyph before the cursor, or an edge above and one below it. A tool that draws its own cursor leaves the hidden one
 * anywhere, and before a tool draws, the cursor is on a blank screen where the terminal itself echoes.
 */
function promptsAtCursor(screen: Screen): boolean {
  const { x, y } = screen.cursor!;
  if (rowAt(screen, y).slice(0, x).trim() !== '') return true;
  return edgePattern(rowAt(screen, y - 1)) !== null && edgePattern(rowAt(screen, y + 1)) !== null;
}

/**
 * Learns where an unknown tool takes text. The marker must have appeared at the cursor and nowhere else, nothing above may
 * have changed, and erasing it must have restored exactly the same screen. A footer may change while the composer holds
 * text.
 */
export function calibrate({
  before,
  marked,
  after,
  marker = CALIBRATION_MARKER,
}: CalibrationInput): Calibrated {
  const allowed = mayCalibrate(before);
  if (!allowed.ok) return allowed;
  const { x, y } = before.cursor!;
  const width = textColumns(marker);
  if (!sameSize(before, marked) || !sameSize(before, after)) return refuse('the terminal changed its size');
  if (rowAt(marked, y).slice(x, x + width) !== marker)
    return refuse('the marker did not appear at the cursor');
  if (marked.cursor?.y !== y || marked.cursor.x !== x + width)
    return refuse('the cursor did not follow the marker');
  const prefix = rowAt(before, y).slice(0, x).padEnd(x);
  if (rowAt(marked, y).slice(0, x).padEnd(x) !== prefix) return refuse('something before the marker changed');
  for (let at = 0; at < before.height; at++) {
    if (at < y && !sameRow(rowAt(before, at), rowAt(marked, at)))
      return refuse('something above the marker changed');
    if (at > y && rowAt(marked, at).text.includes(marker)) return refuse('the marker appeared a second time');
    if (!sameRow(rowAt(before, at), rowAt(after, at))) return refuse('erasing did not bring the screen back');
  }
  if (after.cursor?.x !== x || after.cursor.y !== y) return refuse('erasing did not bring the cursor back');
  if (before.title !== after.title) return refuse('the title changed');
  const bottom = bottomOf(before, marked, y);
  if (bottom === undefined) return refuse('something below the marker changed that is no footer');
  return { ok: true, detector: learn(before, { x, y, prefix, bottom }) };
}

interface FoundComposer {
  x: number;
  y: number;
  prefix: string;
  /** Last row of the composer; changes below it belong to the footer. */
  bottom: number;
}

/** The edge below, if there is one, must not have changed; without an edge the composer is one row. */
function bottomOf(before: Screen, marked: Screen, y: number): number | undefined {
  const below = rowAt(before, y + 1);
  if (!edgePattern(below)) return y;
  return sameRow(below, rowAt(marked, y + 1)) ? y + 1 : undefined;
}

function learn(before: Screen, found: FoundComposer): Detector {
  const { x, y, prefix, bottom } = found;
  const row = rowAt(before, y);
  const side = /^\s*[│┃║|▌▎]/u.exec(prefix)?.[0] ?? '';
  const right = side === '' ? null : rightSide(row);
  const shape: ComposerShape = {
    frame: {
      kind: 'learned',
      prefix,
      left: 0,
      right,
      above: edgePattern(rowAt(before, y - 1)),
      below: bottom > y ? edgePattern(rowAt(before, y + 1)) : null,
      side,
    },
    prompts: [{ text: prefix, mode: 'prompt' }],
    ghosts: placeholderOf(row, x, right ?? before.columns),
    ...(before.cursor?.visible ? { showsCursor: true } : {}),
  };
  return {
    tool: CALIBRATED_TOOL,
    versions: { from: '0.0.0', below: '0.0.0', seen: [] },
    composers: [shape],
    title: {},
    signs: GENERIC_SIGNS,
    transcript: { prompt: /^(?!)/ },
    input: CAUTIOUS_INPUT,
    idleChrome: { title: withoutNumbers(before.title), footer: footerOf(before, bottom) },
  };
}

/** A pattern for a row that is mostly one drawing character; it also matches at another width. */
function edgePattern(row: Row): RegExp | null {
  const { text } = row;
  const inner = text.trim().slice(1, -1);
  const fill = inner[0];
  if (inner.length < 6 || !fill || /[\p{L}\p{N}\s]/u.test(fill)) return null;
  if ([...inner].filter((char) => char === fill).length < inner.length * 0.9) return null;
  const trimmed = text.trim();
  return new RegExp(`^\\s*${quote(trimmed[0]!)}${quote(fill)}{4,}.*${quote(trimmed.at(-1)!)}$`, 'u');
}

/** A pattern that matches exactly this text. */
function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function rightSide(row: Row): number | null {
  return /[│┃║|]$/u.test(row.text) ? row.text.length - 1 : null;
}

function placeholderOf(row: Row, x: number, right: number): ComposerShape['ghosts'] {
  const text = row.slice(x, right).trim();
  if (text === '') return [];
  const form = new RegExp(`^${quote(text)}$`, 'u');
  const second = row.chars.findIndex((char, at) => at > x && char.trim() !== '');
  return [{ form, style: row.style(second < 0 ? x : second) }];
}

function sameRow(a: Row, b: Row): boolean {
  if (a.text !== b.text) return false;
  for (let x = 0; x < Math.max(a.chars.length, b.chars.length); x++) {
    if (!sameStyle(a.style(x), b.style(x)) && (a.char(x).trim() !== '' || b.char(x).trim() !== ''))
      return false;
  }
  return true;
}

function sameSize(a: Screen, b: Screen): boolean {
  return a.columns === b.columns && a.height === b.height;
}

function refuse(because: string): { ok: false; because: string } {
  return { ok: false, because };
}

/** For an unknown tool: anything that moves or counts just above the composer is a turn. */
const GENERIC_SIGNS: Detector['signs'] = [
  {
    means: 'busy',
    where: 'above',
    rows: 4,
    row: /^\s{0,3}[^\p{L}\p{N}\s"'`([{<#>❯›»]\p{Mn}?.{0,40}(…|\.\.\.|\(\d+ ?(s|m)\b|\b\d+ ?s\b)/u,
  },
  { means: 'busy', where: 'above', rows: 4, row: /\besc(ape)?\b.{0,12}\b(interrupt|cancel|stop)/i },
  { means: 'busy', where: 'above', rows: 4, row: /^\s{0,3}([⠀-⣿]|[🌑-🌘]|[◴-◷◐-◓])/u },
  { means: 'busy', where: 'above', rows: 2, row: /^\s{0,3}(\[.{1,3}\] .*\d ?s\b|[.·•]{1,3}$)/u },
  { means: 'pending', where: 'above', rows: 6, row: /\bqueued\b/i },
  { means: 'menu', where: 'above', attached: true, row: /^\s*([❯›»>→▸]\s+\S|\/\w+\s{2,}\S)/ },
];

const CAUTIOUS_INPUT: Detector['input'] = {
  pasteGapMs: 300,
  changes: [],
  refuses: [
    { when: /^\s*[!/]/, because: 'the tool is unknown; a leading ! or / may be a command to it' },
    { when: /\\$/, because: 'the tool is unknown; a trailing backslash may turn Enter into a new line' },
    { when: /@[\w./-]+$/, because: 'the tool is unknown; a trailing @name may open a completion' },
  ],
  interruptKeys: ['Escape'],
  clearKeys: ['C-u'],
  resetCommand: '/clear',
  whileBusy: 'queues',
  restoresPrompt: false,
};
