/** Kept in the repository, so that the same tree runs the same tests. */
const REPOSITORY_SEED = 20_261_118;

/**
 * Decides what `npm test` draws: which rows of a large matrix, which long stories, which cases of a property. `npm run test:all`
 * sets ROUSE_SEED to a new seed and prints it; set it yourself to repeat that run.
 */
export function drawSeed(): number {
  const seed = Number(process.env['ROUSE_SEED'] ?? REPOSITORY_SEED);
  if (!Number.isSafeInteger(seed)) throw new Error('ROUSE_SEED must be a whole number');
  return seed;
}
