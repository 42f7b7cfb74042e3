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
      about('`degraded`: something keeps failing and is retried; see `reasons`.', z.enum(['ok', 'degraded'])),
    ),
    instance_id: ours(
      about(
        'As in run/current-instance.rouse.json, so that another program on a reused port is not taken for this gateway.',
        z.string().optional(),
      ),
    ),
    pid: ours(integer.positive().optional()),
    failing_loops: ours(z.array(z.string()).optional()),
    reasons: ours(about('What keeps failing, one sentence each.', z.array(z.string()).optional())),
  }),
);

export type Health = z.infer<typeof health>;
