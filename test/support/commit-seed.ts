import { spawnSync } from 'node:child_process';

/** Outside of a repository there is no commit to go by. */
const ANYWHERE = 20_261_116;

/**
 * Chooses the samples that `npm test` takes of a matrix: another one with every commit, so that they come round to all
 * of it, and the same one for the same commit. ROUSE_SEED repeats a run.
 */
export function commitSeed(): number {
  const asked = process.env['ROUSE_SEED'];
  if (asked !== undefined) return Number(asked);
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' });
  const seed = Number.parseInt((stdout ?? '').slice(0, 7), 16);
  return Number.isNaN(seed) ? ANYWHERE : seed;
}
