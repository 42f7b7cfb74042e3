import { textColumns } from '../base/index.ts';
import type { Row, Screen } from './model/screen.ts';

/** Parts of a calibrated composer that are compared later. */

/** Removes numbers: clocks and counters change, everything else in a footer or title must stay the same. */
export function withoutNumbers(text: string): string {
  return text.trim().replace(/\d+/g, '0').replace(/\s+/g, ' ');
}

/** The rows below row `bottom`, without blank ones. */
export function footerOf(screen: Screen, bottom: number): string[] {
  return screen.rows
    .slice(bottom + 1)
    .filter((row) => !row.blank)
    .map((row) => withoutNumbers(row.text));
}

/** A further row of a draft: blank instead of the glyph, with the same side. */
export function isLearnedRow(row: Row, prefix: string, side: string): boolean {
  const start = row.slice(0, textColumns(prefix));
  if (side !== '' && !start.startsWith(side)) return false;
  return start.slice(side.length).trim() === '';
}
