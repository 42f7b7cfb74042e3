import { createHash } from 'node:crypto';
import { Seeded } from '../terminal/seeded.ts';
import { drawSeed } from './draw-seed.ts';

/** Everything is tried: `npm run test:all`, and each proof by its name. */
export const FULL = process.env['ROUSE_PROOF'] === 'full';

/**
 * The rows of a matrix that are tried: all of them at full size, otherwise `count` of them, in their order, drawn by the seed of
 * the repository. `where` makes the draws of different matrices independent of each other: `import.meta.filename`, or a name.
 */
export function sampled<T>(where: string, rows: readonly T[], count: number): T[] {
  if (FULL) return [...rows];
  const random = new Seeded(drawSeed() ^ createHash('sha256').update(where).digest().readInt32LE());
  const drawn = new Set<number>();
  while (drawn.size < Math.min(count, rows.length)) drawn.add(random.whole(0, rows.length - 1));
  return rows.filter((_, index) => drawn.has(index));
}
