import { charWidth, textColumns } from '../../base/index.ts';

/** Text on the grid of a terminal: widths, wrapping, and visible forms of control characters. */

/** Shows control characters as symbols (ESC as ␛) and a tab as four spaces; line breaks stay. */
export function shown(text: string): string {
  return text
    .replace(/\t/g, '    ')
    .replace(/[\u0000-\u0009\u000b-\u001f]/g, (char) => String.fromCharCode(0x2400 + char.charCodeAt(0)))
    .replace(/\u007f/g, '\u2421')
    .replace(/[\u0080-\u009f\u2028\u2029]/g, '\ufffd');
}

export interface Wrapped {
  rows: string[];
  /** The cell of the cursor. */
  cursor: { row: number; column: number };
}

/** Wraps text into rows of at most `width` cells, and finds the cell of the code unit at `cursor`. */
export function wrap(text: string, width: number, cursor = text.length): Wrapped {
  const limit = Math.max(2, width);
  const rows: string[] = [];
  let at = { row: 0, column: 0 };
  let row = '';
  let column = 0;
  let offset = 0;
  for (const point of text) {
    const cells = point === '\n' ? 0 : charWidth(point);
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

/** Wraps at spaces where possible, for answers. */
export function wrapWords(text: string, width: number): string[] {
  const rows: string[] = [];
  for (const line of text.split('\n')) {
    let row = '';
    for (const word of line.split(' ')) {
      const joined = row === '' ? word : `${row} ${word}`;
      if (textColumns(joined) <= width) row = joined;
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
    cells += charWidth(point);
    if (cells > width) break;
    kept += point;
  }
  return kept;
}

/** Exactly `width` cells: clipped or filled with spaces. */
export function padded(text: string, width: number): string {
  const kept = clip(text, width);
  return kept + ' '.repeat(Math.max(0, width - textColumns(kept)));
}
