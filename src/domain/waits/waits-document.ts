import { mutualWaits } from './find-cycle.ts';
import { isOverdue, type WaitEdge } from './wait-edge.ts';

/** Who waits for whom, as routes and `rouse waits` return it. */
export const waitsDocument = (waits: readonly WaitEdge[], now: Date) => ({
  schema_version: 1 as const,
  now_utc: now.toISOString(),
  waits: [...waits],
  mutual: mutualWaits(waits),
  overdue: waits.filter((edge) => isOverdue(edge, now.getTime())).map(({ ref }) => ref),
});
