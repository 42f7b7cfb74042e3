import type { PageHealth } from '../../wire/index.ts';

type Wakes = Pick<PageHealth['agents'][number], 'steps' | 'losses' | 'submit' | 'turn'>;

/** Numbers of several agents together. */
export function together(agents: readonly Wakes[], bounds: readonly number[]): Wakes {
  const none = (): number[] => bounds.map(() => 0);
  const sum: Wakes = { steps: {} as Wakes['steps'], losses: {}, submit: none(), turn: none() };
  for (const { steps, losses, submit, turn } of agents) {
    for (const [step, count] of Object.entries(steps) as [keyof Wakes['steps'], number][])
      sum.steps[step] = (sum.steps[step] ?? 0) + count;
    for (const [reason, count] of Object.entries(losses))
      sum.losses[reason] = (sum.losses[reason] ?? 0) + count;
    for (const [at, count] of submit.entries()) sum.submit[at]! += count;
    for (const [at, count] of turn.entries()) sum.turn[at]! += count;
  }
  return sum;
}

/** The end of the bucket that holds this part of all durations; undefined without any. */
export function quantile(
  part: number,
  counts: readonly number[],
  bounds: readonly number[],
): number | undefined {
  const all = counts.reduce((sum, each) => sum + each, 0);
  if (all === 0) return undefined;
  let seen = 0;
  for (const [at, count] of counts.entries()) {
    seen += count;
    if (seen >= part * all) return bounds[at];
  }
  return bounds.at(-1);
}

export function secondsInWords(seconds: number | undefined): string {
  if (seconds === undefined) return '–';
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
