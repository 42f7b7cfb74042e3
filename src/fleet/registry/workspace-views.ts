import type { Sql } from '../../db/index.ts';
import { ALIVE_WORKSPACES, sqlList, type WorkspaceStatus } from '../../domain/index.ts';
import {
  type AgentState,
  MAX_GATEWAY_BYTES,
  type WorkspaceList,
  type WorkspaceListed,
  type WorkspaceView,
} from '../../wire/index.ts';
import { DEPTH_COUNTED } from '../delivery/index.ts';
import { pageOfBytes } from '../page-of-bytes.ts';

interface Row extends Omit<WorkspaceListed, Stamps> {
  status_changed_at: Date;
  since: Date;
  last_heartbeat_at: Date | null;
  registered_at: Date;
  removed_at: Date | null;
}
type Stamps = 'status_changed_at' | 'since' | 'last_heartbeat_at' | 'registered_at' | 'removed_at';

/** A gateway's report counts while its heartbeats come. */
const IS_REPORTED = `w.status IN ${sqlList(ALIVE_WORKSPACES)} AND w.standing IS NOT NULL`;
const STATE = `CASE WHEN ${IS_REPORTED} THEN w.standing ELSE w.status END`;

/** A person's pause of workspace `w`, as its gateway reports it; null without one. */
export const PAUSED = `(CASE WHEN w.paused_until > now() THEN jsonb_build_object('until_utc',
  CASE WHEN isfinite(w.paused_until) THEN to_char(w.paused_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') END) END)`;

const VIEW = `
  SELECT w.id AS workspace_id, w.org_id, o.name AS org, w.parent_id, w.agent_id, w.name, w.tool, w.status, w.accepting,
      w.status_changed_at, ${STATE} AS state,
      CASE WHEN ${IS_REPORTED} THEN greatest(w.standing_changed_at, w.status_changed_at) ELSE w.status_changed_at END AS since,
      w.session_id, w.host, w.host_id, w.version, w.last_heartbeat_at,
      ${PAUSED} AS paused,
      round(extract(epoch FROM now() - w.last_heartbeat_at))::int AS heartbeat_age_seconds, w.active_tasks,
      w.max_concurrent_tasks, w.current_task, w.error_rate, w.sample_error, w.uptime_seconds,
      (SELECT count(*)::int FROM (SELECT FROM a2a_queue q WHERE q.workspace_id = w.id AND q.status = 'queued'
         LIMIT ${DEPTH_COUNTED}) waiting) AS queue_depth, w.registered_at, w.removed_at
    FROM workspaces w JOIN orgs o ON o.id = w.org_id`;

/** An older server stored values that are too large; they are not read. */
const GATEWAY = `SELECT CASE WHEN octet_length(gateway::text) <= $2::int THEN gateway END AS gateway FROM workspaces WHERE id = $1::uuid`;

export async function viewWorkspace(sql: Sql, id: string): Promise<WorkspaceView> {
  const { rows } = await sql.query<Row>(`${VIEW} WHERE w.id = $1::uuid`, [id]);
  const { rows: gateways } = await sql.query<Pick<WorkspaceView, 'gateway'>>(GATEWAY, [
    id,
    2 * MAX_GATEWAY_BYTES,
  ]);
  return { ...onTheWire(rows[0]!), gateway: gateways[0]!.gateway };
}

export interface WorkspaceQuery {
  /** Null: every tenant. */
  orgId: string | null;
  status?: WorkspaceStatus | undefined;
  state?: AgentState | undefined;
  /** Its name or its id. */
  host?: string | undefined;
  tool?: string | undefined;
  after?: string | undefined;
  limit: number;
}

/** Lists agents by id, which is by time of first registration. Removed ones only on request. */
export async function listWorkspaces(sql: Sql, query: WorkspaceQuery): Promise<WorkspaceList> {
  const { rows } = await sql.query<Row>(
    `${VIEW} WHERE ($1::uuid IS NULL OR w.org_id = $1) AND w.id > $2::uuid
        AND CASE WHEN $3::text IS NULL AND $5::text IS DISTINCT FROM 'removed' THEN w.status <> 'removed'
          ELSE $3::text IS NULL OR w.status = $3 END
        AND ($5::text IS NULL OR ${STATE} = $5) AND ($6::text IS NULL OR w.host = $6 OR w.host_id = $6)
        AND ($7::text IS NULL OR w.tool = $7)
      ORDER BY w.id LIMIT $4::int`,
    [
      query.orgId,
      query.after ?? '00000000-0000-0000-0000-000000000000',
      query.status ?? null,
      query.limit + 1,
      query.state ?? null,
      query.host ?? null,
      query.tool ?? null,
    ],
  );
  const agents = pageOfBytes(rows.map(onTheWire), query.limit);
  const truncated = rows.length > agents.length;
  return { agents, next_cursor: truncated ? agents.at(-1)!.workspace_id : null, truncated };
}

function onTheWire(row: Row): WorkspaceListed {
  return {
    ...row,
    status_changed_at: row.status_changed_at.toISOString(),
    since: row.since.toISOString(),
    last_heartbeat_at: row.last_heartbeat_at?.toISOString() ?? null,
    registered_at: row.registered_at.toISOString(),
    removed_at: row.removed_at?.toISOString() ?? null,
  };
}
