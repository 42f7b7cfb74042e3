import { textColumns } from '../base/index.ts';
import type { ComposerShape, Frame, Mode } from './detector.ts';
import { isLearnedRow } from './learned-frame.ts';
import { type Row, rowAt, type Screen } from './model/screen.ts';

/** The place of a frame around a row. */
export interface Place {
  top: number;
  bottom: number;
  first: number;
  last: number;
  /** The column where the inside of the frame begins, and the first one after it. */
  left: number;
  right: number;
  mode?: Mode;
}

/** The frame of this shape around row y. */
export function findFrame(screen: Screen, frame: Frame, y: number, shape: ComposerShape): Place | undefined {
  if (frame.kind === 'lines') return betweenLines(screen, frame, y);
  if (frame.kind === 'box') return insideBox(screen, frame, y);
  if (frame.kind === 'bar') return besideBar(screen, frame, y);
  if (frame.kind === 'learned') return learnedPlace(screen, frame, y);
  return aboveFooter(screen, y, shape);
}

function betweenLines(screen: Screen, frame: Frame & { kind: 'lines' }, y: number): Place | undefined {
  const top = scan(screen, y, -1, (row) => isLine(row, frame.above, screen.columns, true));
  const bottom = scan(screen, y, 1, (row) => isLine(row, frame.below, screen.columns, false));
  if (top === undefined || bottom === undefined || top === y || bottom === y) return undefined;
  // The composer is lowest: a line further down is its own, and these two belong to what is above it.
  if (screen.rows.slice(bottom + 1).some((row) => isLine(row, frame.below, screen.columns, false)))
    return undefined;
  return { top, bottom, first: top + 1, last: bottom - 1, left: 0, right: screen.columns };
}

/** A row made of one character from edge to edge. The upper one may contain a name. */
function isLine(row: Row, fill: string, columns: number, mayHoldName: boolean): boolean {
  const { text } = row;
  const start = fill.repeat(mayHoldName ? 2 : 4);
  if (text.length < columns - 2 || !text.startsWith(start) || !text.endsWith(fill)) return false;
  const filled = text.split(fill).length - 1;
  return mayHoldName ? filled >= columns / 3 : filled === text.length;
}

function insideBox(screen: Screen, frame: Frame & { kind: 'box' }, y: number): Place | undefined {
  const [upperLeft = '', upperRight = '', lowerLeft = '', lowerRight = ''] = frame.corners;
  const { column, sides } = frame;
  const edge = (row: Row, left: string, right: string): boolean =>
    row.char(column) === left && row.text.endsWith(right) && row.text.length > column + 8;
  const beside = (row: Row): boolean => row.char(column) === sides[0] && row.text.endsWith(sides[1]);
  const top = scan(screen, y, -1, (row) => edge(row, upperLeft, upperRight), beside);
  const bottom = scan(screen, y, 1, (row) => edge(row, lowerLeft, lowerRight), beside);
  if (top === undefined || bottom === undefined || top === y || bottom === y) return undefined;
  const right = Math.max(0, columnsOf(rowAt(screen, top)) - 1);
  return { top, bottom, first: top + 1, last: bottom - 1, left: column + 1, right };
}

/** A composer beside a bar has a blank row, the text, a blank row, and a row that names the mode. */
function besideBar(screen: Screen, frame: Frame & { kind: 'bar' }, y: number): Place | undefined {
  const column = rowAt(screen, y).chars.indexOf(frame.bar);
  if (column < 0) return undefined;
  const barred = (row: Row): boolean => row.char(column) === frame.bar;
  const foot = scan(screen, y, 1, (row) => row.char(column) === frame.foot, barred);
  if (foot === undefined) return undefined;
  const footRow = rowAt(screen, foot);
  let right = column + 1;
  while (footRow.char(right) === frame.fill) right++;
  // A completion list is above the composer beside the same bar, and has a second bar at its right.
  const listed = (row: Row): boolean => row.char(right - 1) === frame.bar;
  let top = y;
  while (top > 0 && barred(rowAt(screen, top - 1)) && !listed(rowAt(screen, top - 1))) top--;
  const label = rowAt(screen, foot - 1)
    .slice(column + 1, right)
    .trim();
  const blank = (at: number): boolean =>
    rowAt(screen, at)
      .slice(column + 1, right)
      .trim() === '';
  if (right - column < 8 || foot - top < 4 || !blank(top) || !blank(foot - 2) || label === '')
    return undefined;
  const mode: Mode = frame.shellLabel.test(label) ? 'shell' : 'prompt';
  return { top, bottom: foot, first: top + 1, last: foot - 3, left: column + 1, right, mode };
}

const MAX_EMPTY_ROWS = 3;

/** The text ends at the last gap of blank rows; the rows below that gap are the footer. */
function aboveFooter(screen: Screen, y: number, shape: ComposerShape): Place | undefined {
  const begins = (row: Row): boolean => shape.prompts.some(({ text }) => startsWith(row, 0, text));
  const goesOn = (row: Row): boolean => row.blank || row.indent() >= 2;
  const first = scan(screen, y, -1, begins, goesOn);
  if (first === undefined) return undefined;
  let footer = screen.height - 1;
  while (footer > first && rowAt(screen, footer).blank) footer--;
  while (footer > first && !rowAt(screen, footer).blank) footer--;
  let last = footer;
  while (last > first && rowAt(screen, last).blank) last--;
  // An Enter that became a new line leaves the cursor in an empty row below the text.
  if (y > last && y < footer && y - last <= MAX_EMPTY_ROWS) last = y;
  if (footer === first || last < y || !screen.rows.slice(first + 1, last + 1).every(goesOn)) return undefined;
  return { top: first, bottom: last, first, last, left: 0, right: screen.columns };
}

function learnedPlace(screen: Screen, frame: Frame & { kind: 'learned' }, y: number): Place | undefined {
  const { prefix, left, right, above, below, side } = frame;
  const begins = (row: Row): boolean => startsWith(row, 0, prefix);
  const goesOn = (row: Row): boolean => isLearnedRow(row, prefix, side);
  const first = scan(screen, y, -1, begins, goesOn);
  if (first === undefined) return undefined;
  let last = y;
  while (last + 1 < screen.height && below && !below.test(rowAt(screen, last + 1).text)) {
    if (!goesOn(rowAt(screen, last + 1))) return undefined;
    last++;
  }
  if (above && !above.test(rowAt(screen, first - 1).text)) return undefined;
  if (below && !below.test(rowAt(screen, last + 1).text)) return undefined;
  const top = above ? first - 1 : first;
  return { top, bottom: below ? last + 1 : last, first, last, left, right: right ?? screen.columns };
}

/** Returns the first row from y on for which `found` holds, skipping only rows for which `passes` holds. */
function scan(
  screen: Screen,
  y: number,
  step: 1 | -1,
  found: (row: Row) => boolean,
  passes: (row: Row) => boolean = () => true,
): number | undefined {
  for (let at = y; at >= 0 && at < screen.height; at += step) {
    const row = rowAt(screen, at);
    if (found(row)) return at;
    if (!passes(row)) return undefined;
  }
  return undefined;
}

/** Whether the row shows this text from this column on. Marks that were joined to a cell are ignored. */
export function startsWith(row: Row, column: number, text: string): boolean {
  const width = textColumns(text);
  const cells = row.chars.slice(column, column + width).map((char) => [...char][0] ?? '');
  return cells.join('').replaceAll('\u00a0', ' ').padEnd(width) === text;
}

/** The cells as the tool drew them. The terminal joins a mark at the start of the following text to the last cell. */
export function withoutMarks(cells: string): string {
  return cells.replace(/[\p{M}\p{Cf}]/gu, '');
}

function columnsOf(row: Row): number {
  let last = row.chars.length;
  while (last > 0 && row.chars[last - 1]!.trim() === '') last--;
  return last;
}
