import type { Sql } from '../../db/index.ts';
import { NUDGED_TICKETS, sqlList } from '../../domain/index.ts';
import type { Sweep } from './sweep.ts';

/** Transactions that began before another one may see its stamps as the future; nothing else does. */
const AHEAD = `now() + interval '10 seconds'`;

const notAhead = (column: string): string =>
  `${column} = CASE WHEN ${column} > now() THEN now() ELSE ${column} END`;

/** The longest pause between two attempts. */
const MAX_PAUSE = `interval '15 minutes'`;

/** Stamps that the database made before its clock was set back, and how each is corrected. */
const FIXES = {
  agents: {
    table: 'workspaces',
    where: `last_heartbeat_at > ${AHEAD} OR last_inbox_nudge_at > ${AHEAD}`,
    set: `${notAhead('last_heartbeat_at')}, ${notAhead('last_inbox_nudge_at')}`,
  },
  leases: {
    table: 'a2a_queue',
    where: `status = 'dispatched' AND dispatched_at > ${AHEAD}`,
    set: 'lease_until = now() + (lease_until - dispatched_at), dispatched_at = now()',
  },
  attempts: {
    table: 'a2a_queue',
    where: `status = 'queued' AND next_attempt_at > ${AHEAD} + ${MAX_PAUSE}`,
    set: 'next_attempt_at = now()',
  },
  nudges: {
    table: 'requests',
    // The condition of the partial index of tickets that may be nudged.
    where: `recipient_type = 'agent' AND status IN ${sqlList(NUDGED_TICKETS)}
      AND (last_nudged_at > ${AHEAD} OR created_at > ${AHEAD})`,
    set: `${notAhead('last_nudged_at')}, ${notAhead('created_at')}`,
  },
} as const;

/**
 * A database clock that was set back leaves stamps in the future: leases that do not run out, agents that seem alive,
 * pauses that do not end. Such a stamp is set to now, once a minute, by one of several servers.
 */
export function clockSweep(): Sweep {
  return {
    name: 'clock-upkeep',
    summary: 'Corrects timestamps in the future, left by a clock that was set back',
    intervalMs: 60_000,
    mayHaveWork: async (sql) => Object.values(await count(sql)).some((found) => found > 0),
    run: async ({ sql, dryRun }) => (dryRun ? count(sql) : fix(sql)),
  };
}

async function count(sql: Sql): Promise<Record<string, number>> {
  const columns = Object.entries(FIXES).map(
    ([name, { table, where }]) => `(SELECT count(*)::int FROM ${table} WHERE ${where}) AS ${name}`,
  );
  const { rows } = await sql.query<Record<string, number>>(`SELECT ${columns.join(', ')}`);
  return rows[0]!;
}

async function fix(sql: Sql): Promise<Record<string, number>> {
  const fixed: Record<string, number> = {};
  for (const [name, { table, where, set }] of Object.entries(FIXES)) {
    const { rowCount } = await sql.query(`UPDATE ${table} SET ${set} WHERE ${where}`);
    fixed[name] = rowCount;
  }
  return fixed;
}
