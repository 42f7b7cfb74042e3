import type { Sql } from '../../../db/index.ts';
import type { LaneTime } from '../../../domain/index.ts';

/** How many requests each agent was sent, by its id and the cell of time. */
export async function requestsByAgent(
  sql: Sql,
  { fromMs, toMs, cells }: LaneTime,
): Promise<Map<string, [number, number][]>> {
  const { rows } = await sql.query<{ id: string; cell: number; n: number }>(
    `SELECT w.agent_id AS id, least($4::int - 1, floor((extract(epoch FROM r.created_at) * 1000 - $1::float8) / $3::float8))::int AS cell,
            count(*)::int AS n
       FROM requests r JOIN workspaces w ON w.id = r.recipient_workspace_id
      WHERE r.created_at >= to_timestamp($1::float8 / 1000) AND r.created_at < to_timestamp($2::float8 / 1000)
      GROUP BY 1, 2 ORDER BY 2`,
    [fromMs, toMs, (toMs - fromMs) / cells, cells],
  );
  const found = new Map<string, [number, number][]>();
  for (const { id, cell, n } of rows) found.set(id, [...(found.get(id) ?? []), [cell, n]]);
  return found;
}
