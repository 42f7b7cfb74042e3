import type { Sql } from '../../db/index.ts';

interface Counted {
  status: string;
  count: number;
}

/** Agents by status, and messages under way. Each status of messages is an index of its own: what has ended is not read. */
export async function fleetCounts(sql: Sql): Promise<{ agents: Counted[]; messages: Counted[] }> {
  const agents = await sql.query<Counted>(
    'SELECT status, count(*)::int AS count FROM workspaces GROUP BY status ORDER BY status',
  );
  const messages = await sql.query<Counted>(
    `SELECT 'dispatched' AS status, count(*)::int AS count FROM a2a_queue WHERE status = 'dispatched'
     UNION ALL SELECT 'queued', count(*)::int FROM a2a_queue WHERE status = 'queued'`,
  );
  return { agents: agents.rows, messages: messages.rows };
}
