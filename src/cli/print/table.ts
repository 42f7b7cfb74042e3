/** Text for people: aligned tables and key/value blocks. Widths count characters as terminals draw them, roughly. */
import { harmless } from './terminal-text.ts';

export interface Column<Row> {
  title: string;
  value: (row: Row) => unknown;
  right?: boolean;
  /** Cut longer values with an ellipsis. */
  max?: number;
  /** Cut shorter still where the whole does not fit, down to `least`; the last such column first. */
  least?: number;
  /** Colours a cell that has its width already. */
  paint?: (cell: string, row: Row) => string;
}

export interface Fitting {
  /** Columns of the terminal; undefined: as wide as it is. */
  columns?: number | undefined;
  paintTitle?: (line: string) => string;
}

const GAP = 2;

export function table<Row>(
  rows: readonly Row[],
  columns: Column<Row>[],
  { columns: room, paintTitle = (line) => line }: Fitting = {},
): string {
  const full = rows.map((row) => columns.map((column) => cut(show(column.value(row)), column.max)));
  const widths = fitted(
    columns.map((column, i) => Math.max(width(column.title), ...full.map((line) => width(line[i] ?? '')))),
    columns,
    room,
  );
  const cell = (text: string, i: number): string => {
    const short = cut(text, widths[i]);
    const space = ' '.repeat(Math.max(0, widths[i]! - width(short)));
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

/** The widths with which all of it stands in the room there is, as far as columns may be cut. */
function fitted(wanted: number[], columns: Column<never>[], room: number | undefined): number[] {
  const widths = [...wanted];
  let over = widths.reduce((sum, each) => sum + each + GAP, -GAP) - (room ?? Number.POSITIVE_INFINITY);
  for (let i = columns.length - 1; i >= 0 && over > 0; i--) {
    const { least } = columns[i]!;
    if (least === undefined) continue;
    const taken = Math.min(over, Math.max(0, widths[i]! - least));
    widths[i]! -= taken;
    over -= taken;
  }
  return widths;
}

/** `key   value` lines; null and undefined show as `-`, booleans as yes/no. */
export function keyValues(pairs: Record<string, unknown>): string {
  const widest = Math.max(0, ...Object.keys(pairs).map(width));
  return Object.entries(pairs)
    .map(([key, value]) => `${key}${' '.repeat(widest - width(key))}  ${show(value)}`)
    .join('\n');
}

export function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value)) return value.length ? value.map(show).join(', ') : '-';
  // Whatever came from outside must not move the reader's cursor.
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return harmless(text);
}

function cut(text: string, max: number | undefined): string {
  if (max === undefined || width(text) <= max) return text;
  let short = '';
  for (const char of text) {
    if (width(short) + width(char) > max - 1) break;
    short += char;
  }
  return `${short}…`;
}

/** What stands for one column each. */
const PLAIN = /^[\u0020-\u007e]*$/;

function width(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const char of text) columns += /\p{Mark}/u.test(char) ? 0 : isWide(char.codePointAt(0)!) ? 2 : 1;
  return columns;
}

function isWide(point: number): boolean {
  return (
    (point >= 0x1100 && point <= 0x115f) ||
    (point >= 0x2e80 && point <= 0xa4cf) ||
    (point >= 0xac00 && point <= 0xd7a3) ||
    (point >= 0xf900 && point <= 0xfaff) ||
    (point >= 0xfe30 && point <= 0xfe6f) ||
    (point >= 0xff00 && point <= 0xff60) ||
    (point >= 0x1f300 && point <= 0x1faff) ||
    (point >= 0x20000 && point <= 0x3fffd)
  );
}
