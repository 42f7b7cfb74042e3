import type { Sql } from '../../../db/index.ts';
import { OPEN_TICKETS, sqlList, type WorkspaceStatus } from '../../../domain/index.ts';
import { PAUSED } from '../../registry/index.ts';
import { type RequestForPeople, requestsForPeople } from '../../tickets/index.ts';

/** One agent, as the registry and the requests have it. */
export interface FleetAgent {
  workspaceId: string;
  agentId: string;
  name: string;
  tool: string | null;
  host: string | null;
  status: WorkspaceStatus;
  statusSince: Date;
  currentTask: string | null;
  activeTasks: number;
  /** Until when a person has paused it; null: until it is resumed; absent if not. */
  pausedUntil?: string | null | undefined;
  queueDepth: number;
  owes: number;
  owed: number;
}

export interface FleetFacts {
  agents: FleetAgent[];
  /** One page. */
  requests: RequestForPeople[];
  forPeople: number;
  open: number;
}

const MAX_AGENTS = 5000;
const MAX_REQUESTS = 200;
const OPEN = sqlList(OPEN_TICKETS);

interface AgentRow {
  id: string;
  agent_id: string;
  name: string;
  tool: string | null;
  host: string | null;
  status: WorkspaceStatus;
  status_changed_at: Date;
  current_task: string | null;
  active_tasks: number;
  paused: { until_utc: string | null } | null;
  depth: number;
  owes: number;
  owed: number;
}

/** Reads what the database knows about agents of every host, and who owes whom an answer. */
export async function readFleet(sql: Sql): Promise<FleetFacts> {
  const { rows } = await sql.query<AgentRow>(
    `SELECT w.id, w.agent_id, w.name, w.tool, w.host, w.status, w.status_changed_at, w.current_task, w.active_tasks,
            ${PAUSED} AS paused,
            coalesce(q.depth, 0)::int AS depth, coalesce(i.n, 0)::int AS owes, coalesce(o.n, 0)::int AS owed
       FROM workspaces w
       LEFT JOIN (SELECT workspace_id, count(*) AS depth FROM a2a_queue WHERE status = 'queued' GROUP BY 1) q ON q.workspace_id = w.id
       LEFT JOIN (SELECT recipient_workspace_id AS id, count(*) AS n FROM requests
                   WHERE status IN ${OPEN} AND recipient_workspace_id IS NOT NULL GROUP BY 1) i ON i.id = w.id
       LEFT JOIN (SELECT requester_id AS id, count(*) AS n FROM requests
                   WHERE status IN ${OPEN} AND requester_type = 'agent' GROUP BY 1) o ON o.id = w.id::text
      WHERE w.status <> 'removed' ORDER BY w.name LIMIT ${MAX_AGENTS}`,
  );
  const { rows: counts } = await sql.query<{ open: number; people: number }>(
    `SELECT count(*)::int AS open, (count(*) FILTER (WHERE recipient_type = 'user'))::int AS people
       FROM requests WHERE status IN ${OPEN}`,
  );
  return {
    agents: rows.map((row) => ({
      workspaceId: row.id,
      agentId: row.agent_id,
      name: row.name,
      tool: row.tool,
      host: row.host,
      status: row.status,
      statusSince: row.status_changed_at,
      currentTask: row.current_task,
      activeTasks: row.active_tasks,
      pausedUntil: row.paused?.until_utc,
      queueDepth: row.depth,
      owes: row.owes,
      owed: row.owed,
    })),
    requests: await requestsForPeople(sql, MAX_REQUESTS),
    forPeople: counts[0]?.people ?? 0,
    open: counts[0]?.open ?? 0,
  };
}

export const NO_FLEET: FleetFacts = { agents: [], requests: [], forPeople: 0, open: 0 };
