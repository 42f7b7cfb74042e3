import { type Detector, findComposer, mainPart, type Row, type Screen } from '../../screen/index.ts';
import { essence, withoutPictures } from './held-text.ts';

/** A prompt as the transcript shows it, and what stands below it. */
export interface ShownPrompt {
  /** The row it begins in, without its glyph. */
  row: string;
  /** The rows below the prompt's own, down to the composer, without signs of work in progress. */
  below: string[];
  columns: number;
  /** How often the transcript shows it, and in how many rows of the screen. */
  times: number;
  height: number;
}

/** A row that shows this much of the prompt is that prompt. */
const ENOUGH = 16;
/** So is a run of rows that shows this much of its end; no answer repeats that by chance. */
const ENOUGH_OF_END = 48;
/** The pattern of a tool that marks sent prompts by nothing; any row may then begin one. */
const NO_GLYPH = '^(?!)';
/** Nothing, or a piece of a frame: the blank rows round and between what a tool shows in a bar or box. */
const FRAME_ONLY = /^[\s\u2500-\u259f]*$/;
/** The row by which a tool says that it shows only the beginning of a long prompt. */
const CUT = /^\s*(…|\.\.\.)?\s*[[(]?(…|\.\.\.)?\s*\+?\s?\d+ (more )?(lines?|rows?|chars?|characters?)\b/i;

/** Rows above the composer; all of them while a dialog stands in its place. */
export function transcriptRows(whole: Screen, detector: Detector): readonly Row[] {
  const { screen } = mainPart(whole, detector);
  const composer = findComposer(screen, detector.composers);
  return composer ? screen.rows.slice(0, composer.top) : screen.rows;
}

/** The lowest place in the transcript that shows this prompt, in words or by the label of its paste. */
export function findPrompt(
  screen: Screen,
  detector: Detector,
  prompt: { text: string; chip: string | undefined },
): ShownPrompt | undefined {
  const { columns } = screen;
  const shown = transcriptRows(screen, detector);
  const rows = shown.map((row) => row.text.trimEnd()).filter((text) => !FRAME_ONLY.test(text));
  const sought = soughtFor(prompt);
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
  { detector, sought }: { detector: Detector; sought: Sought },
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

/** What a prompt that begins in this row would begin with: the row without its glyph. Empty when none begins here. */
function beginnings(row: string, { transcript }: Detector): string[] {
  if (transcript.prompt.source === NO_GLYPH)
    return [row.trim(), row.replace(/^\s*[^\p{L}\p{N}\s]{1,2}\s+/u, '').trim()];
  const glyph = transcript.prompt.exec(row)?.[0];
  if (glyph === undefined) return [];
  const head = row.slice(glyph.length - lastCharLength(glyph));
  return transcript.stamp?.test(head) ? [head.replace(transcript.stamp, ''), head] : [head];
}

/** The row a long prompt ends in, when its beginning has left the screen. */
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

/** Over how many rows the prompt goes on; 0 when they do not show it. */
function promptLength(rows: string[], { whole, partOf, chip }: Sought): number {
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
 * What survives of a text that a tool shows as the Markdown it is: bullets, numbers of lists, tables and quotes are drawn anew, and
 * marks of emphasis go. The ellipsis stays: a row that a tool cut short is not the whole prompt.
 */
const words = (text: string): string => withoutPictures(text).replace(/[^\p{L}\p{N}…]+/gu, '');

/** What is looked for: the text as it is compared, and how a row is brought into the same form. */
interface Sought {
  whole: string;
  partOf: (row: string) => string;
  chip: string | undefined;
}

/** By its words where there are enough of them. A row of nothing but emoji is a row of nothing in a text of words. */
function soughtFor({ text, chip }: { text: string; chip: string | undefined }): Sought {
  const whole = words(text);
  if (whole.length >= ENOUGH) return { whole, partOf: words, chip };
  const partOf = withoutPictures(text) === '' ? essence : withoutPictures;
  return { whole: partOf(text), partOf, chip };
}

/**
 * Whether this prompt stands in the transcript now and did not before. Undefined when that cannot be told: the same
 * words were sent before, and a new place is known only by what stood below the old one and is not below this one.
 */
export function isNewPrompt(
  before: ShownPrompt | undefined,
  after: ShownPrompt | undefined,
): boolean | undefined {
  if (!after) return false;
  if (!before) return true;
  // With as many rows as before, one more of it is a new one: no older one has come back into sight.
  const sameRoom = before.columns === after.columns && before.height === after.height;
  if (sameRoom && after.times > before.times) return true;
  const chrome = commonEnd(before.below, after.below);
  if (before.below.length === chrome) return undefined;
  if (after.below.length === chrome) return true;
  // Another width breaks the old answer into other rows.
  const comparable = before.columns === after.columns;
  return comparable && before.below[0] !== after.below[0] ? true : undefined;
}

/** How many rows both end with: hints and lines that stand above the composer at all times. */
function commonEnd(a: string[], b: string[]): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a.at(-1 - length) === b.at(-1 - length)) length++;
  return length;
}

/** How many rows above the composer begin to tell this prompt: how tools show input that waits. */
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
