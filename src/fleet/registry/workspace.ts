import { conflict, notFound } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { WorkspaceStatus } from '../../domain/index.ts';

/** An agent's place in the fleet. It outlives sessions: the same agent id keeps it. */
export interface Workspace {
  id: string;
  org_id: string;
  parent_id: string | null;
  agent_id: string;
  name: string;
  tool: string | null;
  status: WorkspaceStatus;
  session_id: string | null;
  active_tasks: number;
  max_concurrent_tasks: number;
  last_heartbeat_at: Date | null;
}

const COLUMNS = `id, org_id, parent_id, agent_id, name, tool, status, session_id, active_tasks,
  max_concurrent_tasks, last_heartbeat_at`;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isWorkspaceId = (text: string): boolean => UUID.test(text);

/**
 * Returns the workspace that a reference means: by its id, else by agent id, else by name. A tenant sees only its own;
 * `orgId` null is an administrator of the whole server. Removed ones are not found; a name that several have is a
 * `conflict`.
 */
export async function resolveWorkspace(sql: Sql, orgId: string | null, ref: string): Promise<Workspace> {
  const { rows } = await sql.query<Workspace & { rank: number }>(
    `SELECT ${COLUMNS}, CASE WHEN id = $2::uuid THEN 0 WHEN agent_id = $3 THEN 1 ELSE 2 END AS rank FROM workspaces
      WHERE status <> 'removed' AND ($1::uuid IS NULL OR org_id = $1) AND (id = $2::uuid OR agent_id = $3 OR name = $3)
      ORDER BY rank, id LIMIT 20`,
    [orgId, UUID.test(ref) ? ref : null, ref],
  );
  const best = rows.filter((row) => row.rank === rows[0]!.rank);
  if (best.length > 1) {
    throw conflict(`"${ref}" is the name of ${best.length} agents`, {
      hint: 'use the workspace id',
      facts: { workspace_ids: best.map((row) => row.id) },
    });
  }
  if (!best[0]) {
    throw notFound(`there is no agent "${ref}"`, {
      hint: '"rouse fleet list" shows the agents of the org',
      facts: { cause: 'unknown_agent' },
    });
  }
  const { rank: _, ...workspace } = best[0];
  return workspace;
}

/** Returns the workspace of that id, removed or not; undefined if it never existed. */
export async function findWorkspace(sql: Sql, id: string): Promise<Workspace | undefined> {
  if (!UUID.test(id)) return undefined;
  const { rows } = await sql.query<Workspace>(`SELECT ${COLUMNS} FROM workspaces WHERE id = $1::uuid`, [id], {
    prepared: true,
  });
  return rows[0];
}
