import type { Sqlite } from '../../../db/index.ts';
import type { LaneTime } from '../../../domain/index.ts';

/** How many wakes were typed, by cell of time. The first request of that time is found by its number. */
export function readWakesIn(db: Sqlite, { fromMs, toMs, cells }: LaneTime): [number, number][] {
  const rows = db.all<{ cell: number; n: number }>(
    `SELECT CAST((unixepoch(accepted_at_utc, 'subsec') * 1000 - ?1) / ?3 AS INTEGER) AS cell, COUNT(*) AS n
       FROM gateway_requests
      WHERE sequence >= ?4 AND request_kind = 'mail_notifier_prompt' AND outcome = 'submitted'
        AND unixepoch(accepted_at_utc, 'subsec') * 1000 >= ?1 AND unixepoch(accepted_at_utc, 'subsec') * 1000 < ?2
      GROUP BY 1 ORDER BY 1`,
    [fromMs, toMs, (toMs - fromMs) / cells, firstSince(db, fromMs)],
  );
  return rows.map(({ cell, n }) => [cell, n]);
}

/** The number of the first request since then, by halving: times rise with the numbers, but for a clock that was set back. */
export function firstSince(db: Sqlite, fromMs: number): number {
  const ends = db.get<{ low: number | null; high: number | null }>(
    'SELECT (SELECT MIN(sequence) FROM gateway_requests) AS low, (SELECT MAX(sequence) FROM gateway_requests) AS high',
  )!;
  let low = ends.low ?? 0;
  let high = (ends.high ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = db.get<{ at: string }>(
      'SELECT accepted_at_utc AS at FROM gateway_requests WHERE sequence >= ? ORDER BY sequence LIMIT 1',
      [middle],
    );
    if (row !== undefined && Date.parse(row.at) < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
