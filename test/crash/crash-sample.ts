import { Seeded } from '../terminal/seeded.ts';
import { ACTORS } from './actors.ts';

/** One cell of the matrix: who is killed at which instant, and whether the tool is started again after it. */
export interface Crash {
  actor: string;
  point: string;
  relaunched: boolean;
}

/** Every actor at every instant on its way, with the same tool and with another one in between. */
export const CRASHES: Crash[] = Object.entries(ACTORS).flatMap(([actor, { points }]) =>
  points.flatMap((point) => [false, true].map((relaunched) => ({ actor, point, relaunched }))),
);

/** Every second instant, with an actor drawn for it; and every actor at least once. */
export function sampleOf(crashes: Crash[], seed: number): Crash[] {
  const random = new Seeded(seed);
  const points = [...new Set(crashes.map(({ point }) => point))];
  const first = random.whole(0, 1);
  const drawn = points
    .filter((_, index) => index % 2 === first)
    .map((wanted) => random.pick(crashes.filter(({ point }) => point === wanted)));
  const idle = new Set(crashes.map(({ actor }) => actor));
  for (const { actor } of drawn) idle.delete(actor);
  return [
    ...drawn,
    ...[...idle].map((wanted) => random.pick(crashes.filter(({ actor }) => actor === wanted))),
  ];
}
