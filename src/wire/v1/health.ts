import * as z from 'zod';
import { about, integer, name, strict } from '../fields.ts';
import { ours, ourValues } from '../source/ours.ts';

export const PROTOCOL_VERSION = 'v1';

/** Liveness of the gateway itself; it says nothing about the agent. */
export const health = name(
  'Health',
  strict({
    protocol_version: z.literal(PROTOCOL_VERSION),
    status: ourValues(
      { degraded: 'ok' },
      about(
        '`degraded`: something keeps failing and is being retried; `reasons` say what.',
        z.enum(['ok', 'degraded']),
      ),
    ),
    instance_id: ours(
      about(
        'The same as in run/current-instance.rouse.json, so that another program on a reused port cannot pass for this gateway.',
        z.string().optional(),
      ),
    ),
    pid: ours(integer.positive().optional()),
    failing_loops: ours(z.array(z.string()).optional()),
    reasons: ours(about('What keeps failing, a sentence each.', z.array(z.string()).optional())),
  }),
);

export type Health = z.infer<typeof health>;
