import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { drawSeed } from './draw-seed.ts';
import { Seeded } from './seeded.ts';

/** At full size everything is tried: `npm run test:all`, and each proof by its name. */
export const FULL = process.env['ROUSE_PROOF'] === 'full';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * Random numbers from the repository's seed. `where` makes the draws of different places independent: a name, or
 * `import.meta.filename`, of which only the path inside the repository counts, so every clone draws the same.
 */
export function drawnFor(where: string): Seeded {
  const place = where.replaceAll(`${ROOT}${path.sep}`, '');
  return new Seeded(drawSeed() ^ createHash('sha256').update(place).digest().readInt32LE());
}

/**
 * The rows of a matrix to try, in their order: all of them at full size, otherwise `count` of them, drawn for `where`.
 */
export function sampled<T>(where: string, rows: readonly T[], count: number): T[] {
  if (FULL) return [...rows];
  const random = drawnFor(where);
  const drawn = new Set<number>();
  while (drawn.size < Math.min(count, rows.length)) drawn.add(random.whole(0, rows.length - 1));
  return rows.filter((_, index) => drawn.has(index));
}
