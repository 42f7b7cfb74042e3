import * as z from 'zod';
import { DURATION_BUCKETS, WAKE_STEPS } from '../../domain/index.ts';
import { about, count, integer, oneOf, stamp, strict } from '../fields.ts';

export const pageHealthQuery = strict({
  hours: about('How far it looks back.', integer.min(1).max(168).default(24)),
});

const durations = z.array(count).length(DURATION_BUCKETS);

const wakes = {
  steps: z.record(oneOf(WAKE_STEPS), count),
  losses: about('Wakes that were not submitted, by outcome.', z.record(z.string(), count)),
  submit: about('From accepted to submitted, in buckets.', durations),
  turn: about('From submitted to the end of the turn, in buckets.', durations),
};

export const pageHealth = strict({
  from_utc: stamp,
  now_utc: stamp,
  bounds: about(
    'The longest duration of each bucket, in seconds.',
    z.array(z.number()).length(DURATION_BUCKETS),
  ),
  steps: about(
    'The steps in their order, with their words.',
    z.array(strict({ step: oneOf(WAKE_STEPS), words: z.string(), lost: z.string() })),
  ),
  mail: about(
    'Mail that was announced, and how much of it was read, answered or archived.',
    strict({ announced: count, handled: count }),
  ),
  agents: z.array(strict({ name: z.string(), tool: z.string(), host: z.string(), ...wakes })),
  facts: about('Server, hosts and database.', z.array(strict({ label: z.string(), value: z.string() }))),
  troubles: z.array(z.string()),
});

export type PageHealth = z.infer<typeof pageHealth>;
