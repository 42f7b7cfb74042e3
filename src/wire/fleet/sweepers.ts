import * as z from 'zod';
import { about, count, name, stamp, strict } from '../fields.ts';

const result = about('What the pass found: counts by name.', z.record(z.string(), z.unknown()));

export const sweeperView = name(
  'FleetSweeper',
  strict({
    name: z.string(),
    summary: z.string(),
    interval_seconds: z.number(),
    running: about('Whether it runs in this server.', z.boolean()),
    holder: about('The server that has the lease.', z.string()).nullable(),
    lease_until: stamp.nullable(),
    last_started_at: stamp.nullable(),
    last_finished_at: stamp.nullable(),
    last_result: result.nullable(),
    last_error: about('Error of the last pass; null when it succeeded.', z.string()).nullable(),
    runs: count,
    failures: count,
  }),
);
export const sweeperList = name('FleetSweeperList', strict({ sweepers: z.array(sweeperView) }));

/** Query of `POST /admin/sweepers/{name}/run`. */
export const sweeperRunQuery = strict({
  dry_run: about('`1`: count, but change nothing.', z.enum(['0', '1'])).optional(),
});

export const sweeperRun = name(
  'FleetSweeperRun',
  strict({
    name: z.string(),
    dry_run: z.boolean(),
    outcome: z.enum(['done', 'skipped']),
    reason: about(
      'Why it was skipped: a pass runs here already, or another server has the lease.',
      z.enum(['running', 'lease', 'nothing']),
    ).optional(),
    result: result.optional(),
    duration_ms: count.optional(),
  }),
);
