import { textColumns } from '../base/index.ts';
import type { Row, Screen } from './model/screen.ts';

/** Parts of a calibrated composer that are compared later. */

/** Clocks and counters move; everything else in a footer or title has to stay. */
export function withoutNumbers(text: string): string {
  return text.trim().replace(/\d+/g, '0').replace(/\s+/g, ' ');
}

/** What stands below row `bottom`, blank rows left out. */
export function footerOf(screen: Screen, bottom: number): string[] {
  return screen.rows
    .slice(bottom + 1)
    .filter((row) => !row.blank)
    .map((row) => withoutNumbers(row.text));
}

/** A further row of a draft: blank where the first row has its glyph, the side kept. */
export function isLearnedRow(row: Row, prefix: string, side: string): boolean {
  const start = row.slice(0, textColumns(prefix));
  if (side !== '' && !start.startsWith(side)) return false;
  return start.slice(side.length).trim() === '';
}
