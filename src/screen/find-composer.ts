import type { ComposerShape, Frame, Ghost, Mode } from './detector.ts';
import { type Row, rowAt, type Screen } from './screen.ts';
import { isMidGrey, type Style } from './style.ts';

/** Where the tool takes text, and what stands there. Rows and columns count from 0. */
export interface Composer {
  shape: ComposerShape;
  /** First and last row, frame included. */
  top: number;
  bottom: number;
  /** First and last row of the text. */
  first: number;
  last: number;
  textColumn: number;
  /** First column behind the text area. */
  right: number;
  mode: Mode;
  text: string;
  state: ComposerState;
  glyphIsGrey: boolean;
}

/** `unclear`: text that could be a placeholder or a draft, in a capture without style. */
export type ComposerState = 'empty' | 'placeholder' | 'draft' | 'unclear';

interface Place {
  top: number;
  bottom: number;
  first: number;
  last: number;
  /** Column where the inside of the frame begins, and the first behind it. */
  left: number;
  right: number;
  mode?: Mode;
}

/** The composer around the cursor. Without a cursor inside one there is none: old frames stay on screens. */
export function findComposer(screen: Screen, shapes: readonly ComposerShape[]): Composer | undefined {
  const { cursor } = screen;
  if (!cursor || cursor.y < 0 || cursor.y >= screen.height) return undefined;
  for (const shape of shapes) {
    if (shape.showsCursor && cursor.visible === false) continue;
    const place = findFrame(screen, shape.frame, cursor.y, shape);
    const composer = place && readInside(screen, shape, place);
    if (composer) return composer;
  }
  return undefined;
}

function findFrame(screen: Screen, frame: Frame, y: number, shape: ComposerShape): Place | undefined {
  if (frame.kind === 'lines') return betweenLines(screen, frame, y);
  if (frame.kind === 'box') return insideBox(screen, frame, y);
  if (frame.kind === 'bar') return besideBar(screen, frame, y);
  return openAtBottom(screen, frame, y, shape);
}

function betweenLines(screen: Screen, frame: Frame & { kind: 'lines' }, y: number): Place | undefined {
  const top = scan(screen, y, -1, (row) => isLine(row, frame.above, screen.columns, true));
  const bottom = scan(screen, y, 1, (row) => isLine(row, frame.below, screen.columns, false));
  if (top === undefined || bottom === undefined || top === y || bottom === y) return undefined;
  return { top, bottom, first: top + 1, last: bottom - 1, left: 0, right: screen.columns };
}

/** A row made of one character from edge to edge. A name may stand in the upper one. */
function isLine(row: Row, fill: string, columns: number, mayHoldName: boolean): boolean {
  const { text } = row;
  if (text.length < columns - 2 || !text.startsWith(fill.repeat(4)) || !text.endsWith(fill)) return false;
  const filled = text.split(fill).length - 1;
  return mayHoldName ? filled >= columns / 2 : filled === text.length;
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

/** Inside a barred composer stand: a blank row, the text, a blank row, and a row that names the mode. */
function besideBar(screen: Screen, frame: Frame & { kind: 'bar' }, y: number): Place | undefined {
  const column = rowAt(screen, y).chars.indexOf(frame.bar);
  if (column < 0) return undefined;
  const barred = (row: Row): boolean => row.char(column) === frame.bar;
  const foot = scan(screen, y, 1, (row) => row.char(column) === frame.foot, barred);
  if (foot === undefined) return undefined;
  const footRow = rowAt(screen, foot);
  let right = column + 1;
  while (footRow.char(right) === frame.fill) right++;
  let top = y;
  while (top > 0 && barred(rowAt(screen, top - 1))) top--;
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

function openAtBottom(
  screen: Screen,
  frame: Frame & { kind: 'open' },
  y: number,
  shape: ComposerShape,
): Place | undefined {
  const begins = (row: Row): boolean => shape.prompts.some(({ text }) => startsWith(row, 0, text));
  const goesOn = (row: Row): boolean => row.blank || row.indent() >= 2;
  const first = scan(screen, y, -1, begins, goesOn);
  if (first === undefined) return undefined;
  const [least, most] = frame.footer;
  for (let below = least; below <= most; below++) {
    const last = screen.height - 1 - below;
    const inside = screen.rows.slice(first + 1, last + 1);
    if (last < y || !rowAt(screen, last + 1).blank || !inside.every(goesOn)) continue;
    return { top: first, bottom: last, first, last, left: 0, right: screen.columns };
  }
  return undefined;
}

/** Looks from row y on, itself included, for the first row that is `found`, passing only rows that `passes`. */
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

function readInside(screen: Screen, shape: ComposerShape, place: Place): Composer | undefined {
  const firstRow = rowAt(screen, place.first);
  const prompt = shape.prompts.find(({ text }) => startsWith(firstRow, place.left, text));
  if (!prompt) return undefined;
  const textColumn = place.left + [...prompt.text].length;
  const lines: string[] = [];
  for (let y = place.first; y <= place.last; y++) {
    const row = rowAt(screen, y);
    if (y > place.first && row.slice(place.left, textColumn).trim() !== '') return undefined;
    lines.push(
      row
        .slice(textColumn, place.right)
        .replace(/\u200b/g, '')
        .trimEnd(),
    );
  }
  const glyph = firstRow.style(place.left + prompt.text.search(/\S|$/));
  const text = lines.join('\n').trimEnd();
  const composer = { ...place, shape, textColumn, text, mode: place.mode ?? prompt.mode };
  return {
    ...composer,
    state: stateOf(screen, shape, composer),
    glyphIsGrey: glyph.dim || isMidGrey(glyph.fg),
  };
}

function stateOf(
  screen: Screen,
  shape: ComposerShape,
  place: Omit<Composer, 'state' | 'glyphIsGrey'>,
): ComposerState {
  const { x, y } = screen.cursor!;
  const atStart = y === place.first && x === place.textColumn;
  if (place.text === '') return atStart && place.first === place.last ? 'empty' : 'draft';
  if (!atStart) return 'draft';
  if (!screen.styled) return shape.ghosts.length > 0 ? 'unclear' : 'draft';
  return shape.ghosts.some((ghost) => looksLike(screen, ghost, place)) ? 'placeholder' : 'draft';
}

/** Whether every cell of the text, except the one under the cursor, is drawn as this kind of placeholder. */
function looksLike(
  screen: Screen,
  ghost: Ghost,
  place: { first: number; last: number; textColumn: number; right: number; text: string },
): boolean {
  if (ghost.form && !ghost.form.test(place.text.trim())) return false;
  const firstRow = rowAt(screen, place.first);
  if (ghost.gap && firstRow.char(place.textColumn).trim() !== '') return false;
  let seen = 0;
  for (let y = place.first; y <= place.last; y++) {
    const row = rowAt(screen, y);
    for (let x = place.textColumn; x < place.right; x++) {
      if (
        row
          .char(x)
          .replace(/[\u00a0\u200b]/g, ' ')
          .trim() === ''
      )
        continue;
      if (y === place.first && x === place.textColumn) continue;
      if (!isGhostCell(row.style(x), ghost)) return false;
      seen++;
    }
  }
  return seen > 0;
}

function isGhostCell(style: Style, ghost: Ghost): boolean {
  if (style.inverse) return false;
  return (!ghost.dim || style.dim) && (!ghost.grey || isMidGrey(style.fg));
}

function startsWith(row: Row, column: number, text: string): boolean {
  const width = [...text].length;
  return row.slice(column, column + width).padEnd(width) === text;
}

function columnsOf(row: Row): number {
  let last = row.chars.length;
  while (last > 0 && row.chars[last - 1]!.trim() === '') last--;
  return last;
}
