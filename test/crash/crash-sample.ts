import { Seeded } from '../support/seeded.ts';
import { ACTORS } from './actors.ts';

/** One cell of the matrix: who is killed at which instant, and what follows. */
export interface Crash {
  actor: string;
  point: string;
  /** The tool is started again. */
  relaunched: boolean;
  /** The process that takes the text back out of the composer is killed too, at this instant. */
  again?: string;
}

/** Before the first key that removes the text, before a later one, and after it is gone. */
const WHILE_TAKING_BACK = ['lane.erasing', 'lane.erasing@2', 'lane.erased'];
const LEAVES_TEXT = ['lane.pasted', 'lane.typed'];

/** Every actor at every instant, with the same tool and with another one in between; and killed again while taking text back. */
export const CRASHES: Crash[] = Object.entries(ACTORS).flatMap(([actor, { points }]) =>
  points.flatMap((point): Crash[] => [
    { actor, point, relaunched: false },
    { actor, point, relaunched: true },
    ...(LEAVES_TEXT.includes(point) ? WHILE_TAKING_BACK : []).map((again) => ({
      actor,
      point,
      relaunched: false,
      again,
    })),
  ]),
);

/** Every second instant, with an actor drawn for it; and every actor at least once. */
export function sampleOf(crashes: Crash[], seed: number): Crash[] {
  const random = new Seeded(seed);
  const points = [...new Set(crashes.map(({ point }) => point))];
  const first = random.whole(0, 1);
  const drawn = points
    .filter((_, index) => index % 2 === first)
    .map((wanted) => random.pick(crashes.filter(({ point }) => point === wanted)));
  drawn.push(random.pick(crashes.filter(({ again }) => again !== undefined)));
  const idle = new Set(crashes.map(({ actor }) => actor));
  for (const { actor } of drawn) idle.delete(actor);
  return [
    ...drawn,
    ...[...idle].map((wanted) => random.pick(crashes.filter(({ actor }) => actor === wanted))),
  ];
}
