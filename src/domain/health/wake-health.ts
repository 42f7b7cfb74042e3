/** The steps of a wake, from the decision to mail that is handled. Each is counted by its own evidence. */
export const WAKE_STEPS = {
  decided: { words: 'Decided', lost: 'not accepted' },
  accepted: { words: 'Accepted', lost: 'not typed' },
  typed: { words: 'Typed', lost: 'not proven to be submitted' },
  submitted: { words: 'Submitted', lost: 'no turn was seen' },
  turn_seen: { words: 'Turn seen', lost: 'its end was not seen' },
  turn_ended: { words: 'Turn ended', lost: '' },
} as const;

export type WakeStep = keyof typeof WAKE_STEPS;

/** How often something took how long, in buckets that grow by a third. */
export type Durations = number[];

/** How the wakes of one agent went in a time. */
export interface WakeHealth {
  steps: Record<WakeStep, number>;
  /** Wakes that were not submitted, by their outcome; `under_way` has none yet. */
  losses: Record<string, number>;
  /** From accepted to submitted, and from submitted to the end of the turn. */
  submit: Durations;
  turn: Durations;
}

const FIRST_SECONDS = 0.1;
const PER_DECADE = 8;
export const DURATION_BUCKETS = 48;

export const noDurations = (): Durations => new Array<number>(DURATION_BUCKETS).fill(0);

/** The bucket of a duration; shorter and longer ones are in the first and the last. */
export function bucketOf(seconds: number): number {
  const at = Math.ceil(PER_DECADE * Math.log10(Math.max(seconds, FIRST_SECONDS) / FIRST_SECONDS) - 1e-9);
  return Math.min(DURATION_BUCKETS - 1, Math.max(0, at));
}

/** The longest duration of a bucket, in seconds. */
export const bucketEnd = (bucket: number): number => FIRST_SECONDS * 10 ** (bucket / PER_DECADE);

export const noWakes = (): WakeHealth => ({
  steps: { decided: 0, accepted: 0, typed: 0, submitted: 0, turn_seen: 0, turn_ended: 0 },
  losses: {},
  submit: noDurations(),
  turn: noDurations(),
});

export function addWakes(sum: WakeHealth, more: WakeHealth): WakeHealth {
  for (const step of Object.keys(WAKE_STEPS) as WakeStep[]) sum.steps[step] += more.steps[step];
  for (const [reason, count] of Object.entries(more.losses))
    sum.losses[reason] = (sum.losses[reason] ?? 0) + count;
  for (const [at, count] of more.submit.entries()) sum.submit[at]! += count;
  for (const [at, count] of more.turn.entries()) sum.turn[at]! += count;
  return sum;
}
