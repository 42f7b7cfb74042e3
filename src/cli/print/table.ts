/** Text for people: aligned tables and key/value blocks. Widths count characters as terminals draw them, roughly. */
import { harmless } from './terminal-text.ts';

export interface Column<Row> {
  title: string;
  value: (row: Row) => unknown;
  right?: boolean;
  /** Cut longer values with an ellipsis. */
  max?: number;
}

export function table<Row>(rows: readonly Row[], columns: Column<Row>[]): string {
  const cells = rows.map((row) => columns.map((column) => cut(show(column.value(row)), column.max)));
  const widths = columns.map((column, i) =>
    Math.max(width(column.title), ...cells.map((line) => width(line[i] ?? ''))),
  );
  const line = (texts: string[]): string =>
    texts
      .map((text, i) =>
        columns[i]?.right ? text.padStart(widths[i]!) : text + ' '.repeat(widths[i]! - width(text)),
      )
      .join('  ')
      .trimEnd();
  return [line(columns.map((column) => column.title.toUpperCase())), ...cells.map(line)].join('\n');
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
  const points = [...text];
  return max !== undefined && points.length > max ? `${points.slice(0, max - 1).join('')}…` : text;
}

function width(text: string): number {
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
