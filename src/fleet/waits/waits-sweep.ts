import { type Clock, utcSeconds } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { Sweep } from '../sweep/index.ts';
import { listFleetWaits } from './list-waits.ts';
import { reportFleetWaits } from './report-waits.ts';

const INTERVAL_MS = 5000;

/** What a new wait changes: each is the end of an index. */
const NEWEST = `SELECT (SELECT max(id) FROM request_events)::text AS requests, (SELECT max(seq) FROM mail_messages)::text AS mail,
  (SELECT id FROM a2a_queue ORDER BY id DESC LIMIT 1)::text AS tasks`;

/** Finds agents that wait for each other, and answers that are late. Without a new wait it costs one look at three indexes. */
export function waitsSweep(clock: Clock): Sweep {
  let seen: string | undefined;
  /** When the next answer is needed. */
  let nextDue: string | undefined;
  const newest = async (sql: Sql): Promise<string> =>
    JSON.stringify((await sql.query<Record<string, string | null>>(NEWEST)).rows[0]);
  return {
    name: 'waits',
    summary: 'Reports agents that wait for each other, and answers that are late',
    intervalMs: INTERVAL_MS,
    mayHaveWork: async (sql) =>
      (nextDue !== undefined && nextDue <= utcSeconds(clock.now())) || (await newest(sql)) !== seen,
    run: async ({ sql, dryRun, signal }) => {
      const before = await newest(sql);
      const { rows: orgs } = await sql.query<{ id: string }>('SELECT id FROM orgs ORDER BY id');
      const result = { waits: 0, circles: 0, overdue: 0 };
      const due: string[] = [];
      for (const { id: orgId } of orgs) {
        if (signal.aborted) return result;
        const now = clock.now();
        const waits = await listFleetWaits(sql, orgId, now);
        result.waits += waits.length;
        due.push(...waits.flatMap(({ by_utc: by }) => (by !== null && by > utcSeconds(now) ? [by] : [])));
        if (dryRun) continue;
        const { circles, overdue } = await reportFleetWaits(sql, { orgId, waits, now });
        result.circles += circles;
        result.overdue += overdue;
      }
      nextDue = due.sort()[0];
      if (!dryRun) seen = before;
      return result;
    },
    gauges: ['waits'],
  };
}
