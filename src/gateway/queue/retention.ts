import { type Clock, utcStamp } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import { LIVE_REQUESTS, sqlList } from '../../domain/index.ts';
import type { Counts } from './counts.ts';

export interface Keep {
  keepRows: number;
  keepDays: number;
}

/** How many finished requests are kept, and for how long. */
export const REQUEST_KEEP: Keep = { keepRows: 100_000, keepDays: 30 };

/**
 * After this many ended requests, up to this many old rows are removed: the store does not grow, and no single end costs
 * much more.
 */
export const PRUNE_EVERY = 100;

/**
 * Removes finished rows beyond `keepRows` or older than `keepDays`, with their ledgers. Looks only at the oldest rows,
 * so the cost is constant; the row that changed last stays. Returns how many were removed.
 */
export function removeOld(
  db: Sqlite,
  clock: Clock,
  { kept, live }: Counts,
  { keepRows, keepDays }: Keep,
): number {
  const before = utcStamp(new Date(clock.now().getTime() - keepDays * 86_400_000));
  const { changes } = db.run(
    `DELETE FROM gateway_requests WHERE sequence IN (
       SELECT sequence FROM (
         SELECT sequence, finished_at_utc, ROW_NUMBER() OVER (ORDER BY sequence) AS place FROM (
           SELECT sequence, state, finished_at_utc, request_id FROM gateway_requests ORDER BY sequence LIMIT ?3)
         WHERE NOT state IN ${sqlList(LIVE_REQUESTS)}
           AND request_id IS NOT (SELECT request_id FROM gateway_request_ledger ORDER BY entry_id DESC LIMIT 1))
       WHERE finished_at_utc < ?1 OR place <= ?2)`,
    [before, kept - live - keepRows, PRUNE_EVERY],
  );
  return changes;
}
