/** Text for people: aligned tables and key/value blocks. Widths are those of terminal cells. */
import { textColumns } from '../../base/index.ts';
import { outputColumns, titled } from './output-terminal.ts';
import { harmless } from './terminal-text.ts';
import { wrapText } from './wrap-text.ts';

export interface Column<Row> {
  title: string;
  value: (row: Row) => unknown;
  right?: boolean;
  /** Cut longer values with an ellipsis. */
  max?: number;
  /** Cut further if the table does not fit, down to `min`; the last such column first. */
  min?: number;
  /** Left out if the table does not fit, before any column is cut; the last such column first. */
  optional?: boolean;
  /** Colours a cell that already has its width. */
  paint?: (cell: string, row: Row) => string;
}

export interface Fitting {
  /** Columns of the terminal. Default: those of this line's output; undefined: unlimited. */
  columns?: number | undefined;
  paintTitle?: (line: string) => string;
}

const GAP = 2;
/** A last column of prose is wrapped in at least this room; with less, it goes below its row. */
const MIN_PROSE = 24;
const BELOW = '    ';

/**
 * A table that fits the terminal. Columns with a `min` are cut first. If that is not enough, a last column of prose is
 * wrapped, and otherwise the last columns go below their row, each with its title. Only a single word that is wider than the
 * terminal, such as a reference, exceeds it: it must stay whole to be copied.
 */
export function table<Row>(
  rows: readonly Row[],
  all: Column<Row>[],
  { columns: available = outputColumns(), paintTitle = titled }: Fitting = {},
): string {
  const columns = thatFit(rows, all, available);
  const full = rows.map((row) => columns.map((column) => cut(show(column.value(row)), column.max)));
  const wanted = columns.map((column, i) =>
    Math.max(textColumns(column.title), ...full.map((line) => textColumns(line[i] ?? ''))),
  );
  const layout = layoutOf(fitted(wanted, columns, available), full, available);
  const { widths, beside } = layout;
  const cell = (text: string, i: number): string => {
    const short = cut(text, widths[i]);
    const space = ' '.repeat(Math.max(0, widths[i]! - textColumns(short)));
    return columns[i]?.right ? space + short : i === beside - 1 ? short : short + space;
  };
  const painted = (text: string, i: number, row: Row | undefined): string => {
    const shown = cell(text, i);
    return row === undefined ? shown : (columns[i]?.paint?.(shown, row) ?? shown);
  };
  const line = (texts: string[], row?: Row): string =>
    texts
      .slice(0, beside)
      .map((text, i) => painted(text, i, row))
      .join(' '.repeat(GAP))
      .trimEnd();
  const lines = (texts: string[], row: Row): string[] => {
    if (!layout.wrapped) return [line(texts, row), ...below(texts)];
    const [first = '', ...more] = wrapText(texts[beside - 1]!, { width: widths[beside - 1]!, indent: '' });
    const indent = ' '.repeat(widths.slice(0, beside - 1).reduce((sum, each) => sum + each + GAP, 0));
    return [line([...texts.slice(0, beside - 1), first], row), ...more.map((each) => indent + each)];
  };
  const below = (texts: string[]): string[] =>
    texts.slice(beside).flatMap((text, i) => {
      const title = `${BELOW}${columns[beside + i]!.title}: `;
      if (text === '-') return [];
      return wrapText(title.trimStart() + text, {
        width: available! - BELOW.length,
        indent: '  ',
        whole: true,
      }).map((each) => BELOW + each);
    });
  const title = line(columns.map((column) => column.title.toUpperCase()));
  return [paintTitle(title), ...full.flatMap((texts, i) => lines(texts, rows[i]!))].join('\n');
}

interface Layout {
  widths: number[];
  /** How many columns are beside each other; the others go below their row. */
  beside: number;
  /** The last one is wrapped. */
  wrapped: boolean;
}

function layoutOf(widths: number[], rows: string[][], available: number | undefined): Layout {
  const last = widths.length - 1;
  const total = (count: number): number =>
    widths.slice(0, count).reduce((sum, each) => sum + each + GAP, -GAP);
  if (available === undefined || total(widths.length) <= available)
    return { widths, beside: widths.length, wrapped: false };
  const room = available - (last > 0 ? total(last) + GAP : 0);
  const longest = Math.max(0, ...rows.flatMap((texts) => (texts[last] ?? '').split(' ').map(textColumns)));
  if (room >= MIN_PROSE && longest <= room)
    return { widths: [...widths.slice(0, last), room], beside: widths.length, wrapped: true };
  let beside = widths.length;
  while (beside > 1 && total(beside) > available) beside--;
  return { widths, beside, wrapped: false };
}

function thatFit<Row>(
  rows: readonly Row[],
  columns: Column<Row>[],
  available: number | undefined,
): Column<Row>[] {
  const at = columns.findLastIndex(({ optional }) => optional);
  if (available === undefined || at === -1) return columns;
  const width = columns.reduce((sum, column) => {
    const cells = rows.map((row) => textColumns(cut(show(column.value(row)), column.max)));
    return sum + Math.max(textColumns(column.title), ...cells) + GAP;
  }, -GAP);
  return width <= available ? columns : thatFit(rows, columns.toSpliced(at, 1), available);
}

/** Column widths that fit the terminal, as far as columns may be cut. */
function fitted(wanted: number[], columns: Column<never>[], available: number | undefined): number[] {
  const widths = [...wanted];
  let over = widths.reduce((sum, each) => sum + each + GAP, -GAP) - (available ?? Number.POSITIVE_INFINITY);
  for (let i = columns.length - 1; i >= 0 && over > 0; i--) {
    const { min } = columns[i]!;
    if (min === undefined) continue;
    const taken = Math.min(over, Math.max(0, widths[i]! - min));
    widths[i]! -= taken;
    over -= taken;
  }
  return widths;
}

/** `key   value` lines; null and undefined show as `-`, booleans as yes/no. On a terminal, long values are wrapped. */
export function keyValues(pairs: Record<string, unknown>): string {
  const widest = Math.max(0, ...Object.keys(pairs).map(textColumns));
  const width = outputColumns();
  const indent = ' '.repeat(widest + GAP);
  return Object.entries(pairs)
    .flatMap(([key, value]) => {
      const line = `${key}${' '.repeat(widest - textColumns(key))}${' '.repeat(GAP)}`;
      const shown = show(value);
      if (width === undefined || textColumns(line) + textColumns(shown) <= width) return [line + shown];
      const room = Math.max(MIN_PROSE, width - indent.length);
      const [first = '', ...more] = wrapText(shown, { width: room, indent: '', whole: true });
      return [line + first, ...more.map((each) => indent + each)];
    })
    .join('\n');
}

export function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value)) return value.length ? value.map(show).join(', ') : '-';
  // Text from outside must not move the reader's cursor.
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return harmless(text);
}

function cut(text: string, max: number | undefined): string {
  if (max === undefined || textColumns(text) <= max) return text;
  let short = '';
  for (const char of text) {
    if (textColumns(short) + textColumns(char) > max - 1) break;
    short += char;
  }
  // Whole words, if that does not cost most of the text.
  const words = text[short.length] === ' ' ? short.length : short.lastIndexOf(' ');
  return `${words > short.length / 2 ? short.slice(0, words) : short}…`;
}
