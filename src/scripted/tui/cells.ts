/** How text lies on the grid of a terminal: widths, wrapping, and pictures for what must not reach it raw. */

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;

const WIDE: [number, number][] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x20000, 0x3fffd],
];

/** Columns one code point takes. */
export function cellWidth(point: string): 0 | 1 | 2 {
  const code = point.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (ZERO_WIDTH.test(point)) return 0;
  if (WIDE.some(([from, to]) => code >= from && code <= to)) return 2;
  return EMOJI.test(point) ? 2 : 1;
}

export function textWidth(text: string): number {
  let width = 0;
  for (const point of text) width += cellWidth(point);
  return width;
}

/** Control characters as their pictures (ESC as ␛), a tab as four spaces; line breaks stay. */
export function shown(text: string): string {
  return text
    .replace(/\t/g, '    ')
    .replace(/[\u0000-\u0009\u000b-\u001f]/g, (char) => String.fromCharCode(0x2400 + char.charCodeAt(0)))
    .replace(/\u007f/g, '\u2421')
    .replace(/[\u0080-\u009f\u2028\u2029]/g, '\ufffd');
}

export interface Wrapped {
  rows: string[];
  /** Where the cursor offset landed. */
  cursor: { row: number; column: number };
}

/** Cuts text into rows of at most `width` cells, and finds the cell of the code unit at `cursor`. */
export function wrap(text: string, width: number, cursor = text.length): Wrapped {
  const limit = Math.max(2, width);
  const rows: string[] = [];
  let at = { row: 0, column: 0 };
  let row = '';
  let column = 0;
  let offset = 0;
  for (const point of text) {
    const cells = point === '\n' ? 0 : cellWidth(point);
    if (column + cells > limit) {
      rows.push(row);
      row = '';
      column = 0;
    }
    if (offset === cursor) at = { row: rows.length, column };
    offset += point.length;
    if (point === '\n') {
      rows.push(row);
      row = '';
      column = 0;
    } else {
      row += point;
      column += cells;
    }
  }
  if (offset <= cursor) at = { row: rows.length, column };
  rows.push(row);
  return { rows, cursor: at };
}

/** Breaks at spaces where it can, as answers are shown. */
export function wrapWords(text: string, width: number): string[] {
  const rows: string[] = [];
  for (const line of text.split('\n')) {
    let row = '';
    for (const word of line.split(' ')) {
      const joined = row === '' ? word : `${row} ${word}`;
      if (textWidth(joined) <= width) row = joined;
      else {
        if (row !== '') rows.push(row);
        const parts = wrap(word, width).rows;
        rows.push(...parts.slice(0, -1));
        row = parts.at(-1)!;
      }
    }
    rows.push(row);
  }
  return rows;
}

/** At most `width` cells of one line. */
export function clip(text: string, width: number): string {
  let cells = 0;
  let kept = '';
  for (const point of text) {
    cells += cellWidth(point);
    if (cells > width) break;
    kept += point;
  }
  return kept;
}

/** Exactly `width` cells: clipped or filled with spaces. */
export function padded(text: string, width: number): string {
  const kept = clip(text, width);
  return kept + ' '.repeat(Math.max(0, width - textWidth(kept)));
}
