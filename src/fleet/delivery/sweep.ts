import type { Sweep } from '../sweep/index.ts';
import { RETENTION, type Retention, upkeepPass, upkeepWaits } from './upkeep.ts';

/** Upkeep of the queue, once a minute by one server of several. */
export function deliverySweep(retention: Retention = RETENTION): Sweep {
  return {
    name: 'delivery-upkeep',
    summary: 'Drops expired messages, gives up leases of gone sessions, deletes what ended long ago',
    intervalMs: 60_000,
    facts: { completed_days: retention.completedDays, dead_days: retention.deadDays },
    mayHaveWork: async (sql) => Object.values(await upkeepWaits(sql, retention)).some((count) => count > 0),
    run: async ({ sql, dryRun, signal }) =>
      dryRun
        ? { ...(await upkeepWaits(sql, retention)) }
        : { ...(await upkeepPass(sql, { retention, signal })) },
  };
}
