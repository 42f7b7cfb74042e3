import type { Composer } from './find-composer.ts';
import { Row, type Screen } from './model/screen.ts';

/** A screen without the panel at its left, and the width of that panel in columns. */
export interface MainPart {
  screen: Screen;
  offset: number;
}

/** The part right of a rule from top to bottom, left of the cursor; the whole screen if there is no such rule. */
export function mainPart(screen: Screen, { sidebar }: { sidebar?: string }): MainPart {
  const edge = sidebar === undefined ? -1 : ruleColumn(screen, sidebar);
  if (edge < 0) return { screen, offset: 0 };
  const offset = edge + 1;
  const rows = screen.rows.map((row) => new Row(row.chars.slice(offset), row.styles.slice(offset)));
  const cursor = screen.cursor && { ...screen.cursor, x: screen.cursor.x - offset };
  return { screen: { ...screen, columns: screen.columns - offset, rows, cursor }, offset };
}

function ruleColumn({ rows, cursor }: Screen, rule: string): number {
  const first = rows[0];
  if (!first || !cursor) return -1;
  for (let x = Math.min(cursor.x - 1, first.chars.length - 1); x > 0; x--)
    if (rows.every((row) => row.char(x) === rule)) return x;
  return -1;
}

/** The composer of a main part, in the coordinates of the whole screen. */
export function movedRight(composer: Composer, offset: number): Composer {
  return { ...composer, textColumn: composer.textColumn + offset, right: composer.right + offset };
}
