import { type Detector, findComposer, mainPart, type Row, type Screen } from '../../screen/index.ts';
import { essence, withoutPictures } from './held-text.ts';

/** A prompt as the transcript shows it, and the rows below it. */
export interface ShownPrompt {
  /** Its first row, without the glyph. */
  row: string;
  /** The rows below it, down to the composer, without signs of work in progress. */
  below: string[];
  columns: number;
  /** How often the transcript shows it, and the height of the screen. */
  times: number;
  height: number;
}

/** A row that shows this much of the prompt is that prompt. */
const ENOUGH = 16;
/** So is a run of rows that shows this much of its end; no reply repeats that by chance. */
const ENOUGH_OF_END = 48;
/** The pattern of a tool that does not mark sent prompts; any row may begin one. */
const NO_GLYPH = '^(?!)';
/** Blank, or part of a frame: the empty rows around and inside a tool's bar or box. */
const FRAME_ONLY = /^[\s\u2500-\u259f]*$/;
/** The row with which a tool marks that it shows only the beginning of a long prompt. */
const CUT = /^\s*(…|\.\.\.)?\s*[[(]?(…|\.\.\.)?\s*\+?\s?\d+ (more )?(lines?|rows?|chars?|characters?)\b/i;

/** The rows above the composer; all rows while a dialog replaces it. */
export function transcriptRows(whole: Screen, detector: Detector): readonly Row[] {
  const { screen } = mainPart(whole, detector);
  const composer = findComposer(screen, detector.composers);
  return composer ? screen.rows.slice(0, composer.top) : screen.rows;
}

/** The lowest place in the transcript that shows this prompt, as text or as the label of its paste. */
export function findPrompt(
  screen: Screen,
  detector: Detector,
  prompt: { text: string; chip: string | undefined },
): ShownPrompt | undefined {
  const { columns } = screen;
  const shown = transcriptRows(screen, detector);
  const rows = shown.map((row) => row.text.trimEnd()).filter((text) => !FRAME_ONLY.test(text));
  const sought = searchFor(prompt);
  const found = rows.flatMap((_, at) => placeAt(rows, at, { detector, sought }));
  const last = found.at(-1) ?? placeOfEnd(rows, prompt.text);
  if (!last) return undefined;
  const below = settledRows(rows.slice(last.next), detector);
  return { row: last.row, below, columns, times: found.length, height: shown.length };
}

/** A prompt in the rows: its first row, and the row after its last. */
interface PromptPlace {
  row: string;
  next: number;
}

function placeAt(
  rows: string[],
  at: number,
  { detector, sought }: { detector: Detector; sought: Search },
): PromptPlace[] {
  for (const head of beginnings(rows[at]!, detector)) {
    const length = promptLength([head, ...rows.slice(at + 1)], sought);
    if (length > 0) return [{ row: head, next: at + length }];
  }
  return [];
}

function placeOfEnd(rows: string[], text: string): PromptPlace | undefined {
  const end = findEnd(rows, text);
  return end === undefined ? undefined : { row: rows[end]!, next: end + 1 };
}

/** What a prompt in this row would begin with: the row without its glyph. Empty if none begins here. */
function beginnings(row: string, { transcript }: Detector): string[] {
  if (transcript.prompt.source === NO_GLYPH)
    return [row.trim(), row.replace(/^\s*[^\p{L}\p{N}\s]{1,2}\s+/u, '').trim()];
  const glyph = transcript.prompt.exec(row)?.[0];
  if (glyph === undefined) return [];
  const head = row.slice(glyph.length - lastCharLength(glyph));
  return transcript.stamp?.test(head) ? [head.replace(transcript.stamp, ''), head] : [head];
}

/** The last row of a long prompt whose beginning has left the screen. */
function findEnd(rows: string[], text: string): number | undefined {
  const whole = words(text);
  if (whole.length < ENOUGH_OF_END) return undefined;
  for (let last = rows.length - 1; last >= 0; last--) {
    let shown = '';
    for (let at = last; at >= 0 && shown.length < ENOUGH_OF_END; at--) {
      const longer = words(rows[at]!) + shown;
      if (!whole.endsWith(longer)) break;
      shown = longer;
    }
    if (shown.length >= ENOUGH_OF_END) return last;
  }
  return undefined;
}

/** How many rows the prompt covers; 0 if they do not show it. */
function promptLength(rows: string[], { whole, partOf, chip }: Search): number {
  if (chip !== undefined && rows[0]?.trim() === chip) return 1;
  let shown = '';
  let length = 0;
  for (const row of rows) {
    const next = shown + partOf(row);
    if (!whole.startsWith(next)) break;
    shown = next;
    length++;
    if (shown === whole) break;
  }
  const cut = CUT.test(rows[length] ?? '');
  if (shown === '' || (shown !== whole && shown.length < ENOUGH && !cut)) return 0;
  return cut ? length + 1 : length;
}

/**
 * What survives when a tool renders a text as Markdown: bullets, list numbers, tables and quotes are redrawn, and
 * emphasis marks disappear. The ellipsis stays: a row that the tool cut is not the whole prompt.
 */
const words = (text: string): string => withoutPictures(text).replace(/[^\p{L}\p{N}…]+/gu, '');

/** The text that is looked for, in the form in which it is compared, and how a row is brought into that form. */
interface Search {
  whole: string;
  partOf: (row: string) => string;
  chip: string | undefined;
}

/** Compares by words if there are enough of them. In a text of words, a row of only emoji counts as empty. */
function searchFor({ text, chip }: { text: string; chip: string | undefined }): Search {
  const whole = words(text);
  if (whole.length >= ENOUGH) return { whole, partOf: words, chip };
  const partOf = withoutPictures(text) === '' ? essence : withoutPictures;
  return { whole: partOf(text), partOf, chip };
}

/**
 * Whether the transcript shows this prompt now and did not before. Undefined if that cannot be decided: the same words
 * were sent before, and a new place is recognised only by different rows below it.
 */
export function isNewPrompt(
  before: ShownPrompt | undefined,
  after: ShownPrompt | undefined,
): boolean | undefined {
  if (!after) return false;
  if (!before) return true;
  // On a screen of the same size, one more occurrence is a new one: no older one has scrolled back into view.
  const sameSize = before.columns === after.columns && before.height === after.height;
  if (sameSize && after.times > before.times) return true;
  const chrome = commonEnd(before.below, after.below);
  if (before.below.length === chrome) return undefined;
  if (after.below.length === chrome) return true;
  // Another width wraps the old reply into other rows.
  const comparable = before.columns === after.columns;
  return comparable && before.below[0] !== after.below[0] ? true : undefined;
}

/** How many rows both end with: hints and lines that are always above the composer. */
function commonEnd(a: string[], b: string[]): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a.at(-1 - length) === b.at(-1 - length)) length++;
  return length;
}

/** How many rows above the composer begin with this prompt. Tools show queued input like that. */
export function countMentions(screen: Screen, detector: Detector, text: string): number {
  const start = essence(text).slice(0, 24);
  if (start.length < 3) return 0;
  return transcriptRows(screen, detector).filter((row) => essence(row.text).includes(start)).length;
}

function settledRows(rows: string[], detector: Detector): string[] {
  const moving = detector.signs.filter(({ means }) => means === 'busy' || means === 'pending');
  return rows.filter((row) => !moving.some((sign) => sign.row.test(row)));
}

function lastCharLength(text: string): number {
  return [...text].at(-1)?.length ?? 0;
}
