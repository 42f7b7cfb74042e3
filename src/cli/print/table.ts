/** Text for people: aligned tables and key/value blocks. Widths are those of terminal cells. */
import { textColumns } from '../../base/index.ts';
import { harmless } from './terminal-text.ts';

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
  /** Columns of the terminal; undefined: unlimited. */
  columns?: number | undefined;
  paintTitle?: (line: string) => string;
}

const GAP = 2;

export function table<Row>(
  rows: readonly Row[],
  all: Column<Row>[],
  { columns: available, paintTitle = (line) => line }: Fitting = {},
): string {
  const columns = thatFit(rows, all, available);
  const full = rows.map((row) => columns.map((column) => cut(show(column.value(row)), column.max)));
  const widths = fitted(
    columns.map((column, i) =>
      Math.max(textColumns(column.title), ...full.map((line) => textColumns(line[i] ?? ''))),
    ),
    columns,
    available,
  );
  const cell = (text: string, i: number): string => {
    const short = cut(text, widths[i]);
    const space = ' '.repeat(Math.max(0, widths[i]! - textColumns(short)));
    return columns[i]?.right ? space + short : i === columns.length - 1 ? short : short + space;
  };
  const line = (texts: string[], row?: Row): string =>
    texts
      .map((text, i) => (row ? (columns[i]?.paint?.(cell(text, i), row) ?? cell(text, i)) : cell(text, i)))
      .join(' '.repeat(GAP))
      .trimEnd();
  const title = line(columns.map((column) => column.title.toUpperCase()));
  return [paintTitle(title), ...full.map((texts, i) => line(texts, rows[i]))].join('\n');
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

/** `key   value` lines; null and undefined show as `-`, booleans as yes/no. */
export function keyValues(pairs: Record<string, unknown>): string {
  const widest = Math.max(0, ...Object.keys(pairs).map(textColumns));
  return Object.entries(pairs)
    .map(([key, value]) => `${key}${' '.repeat(widest - textColumns(key))}  ${show(value)}`)
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
  return `${short}…`;
}
