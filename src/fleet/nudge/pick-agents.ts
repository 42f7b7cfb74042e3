import type { Sql } from '../../db/index.ts';
import { type AgentState, DUE_ORDER, type DueRules } from './due.ts';

export interface Pick {
  /** Ready agents, those who have waited longest first. */
  agents: string[];
  /** Agents with due items that may not be nudged now, by reason, among those read. */
  held: Partial<Record<Exclude<AgentState, 'ready'>, number>>;
  /** Age of the oldest due item that was read. */
  oldestAgeSeconds: number;
  /** There were more ready agents than the limit. */
  more: boolean;
}

interface Candidate {
  agent: string;
  state: AgentState;
  age: number;
}

/** Due items read per wanted agent before agents are queried one by one instead. */
const ITEMS_PER_AGENT = 5;

/**
 * Picks the agents to nudge, without collecting their items. First it reads a bounded number of due items in due order;
 * usually that finds every agent. If the first items all belong to agents that are away or to one agent's backlog, it
 * queries each idle agent's oldest due item. So at worst a pass reads one row per idle agent, however many tickets
 * there are.
 */
export async function pickAgents(
  sql: Sql,
  rules: DueRules,
  { limit, without = [] }: { limit: number; without?: string[] },
): Promise<Pick> {
  const window = limit * ITEMS_PER_AGENT;
  const { rows } = await sql.query<Candidate & { items: number }>(inDueOrder(rules), [window, without]);
  const ready = rows.filter(({ state }) => state === 'ready');
  const sawAll = rows.reduce((sum, { items }) => sum + items, 0) < window;
  const found =
    sawAll || ready.length > limit ? ready : await fromIdleAgents(sql, rules, [limit + 1, without]);
  return {
    agents: found.slice(0, limit).map(({ agent }) => agent),
    held: countHeld(rows),
    oldestAgeSeconds: Math.max(0, ...rows.map(({ age }) => age), ...found.map(({ age }) => age)),
    more: found.length > limit,
  };
}

function countHeld(rows: Candidate[]): Pick['held'] {
  const held: Pick['held'] = {};
  for (const { state } of rows) if (state !== 'ready') held[state] = (held[state] ?? 0) + 1;
  return held;
}

const NOT_LEFT_OUT = 'r.recipient_workspace_id <> ALL($2::uuid[])';
const AGE = 'extract(epoch FROM now() - created_at)::int AS age';

/** OFFSET 0 makes the planner look up only the agents found instead of reading them all. */
const inDueOrder = ({ never, neverDueAt, again, againDueAt, state }: DueRules): string => `
  WITH due AS (
    (SELECT r.recipient_workspace_id AS agent, ${neverDueAt} AS due_at, r.created_at FROM requests r
      WHERE ${never} AND r.recipient_workspace_id IS NOT NULL AND ${NOT_LEFT_OUT} ORDER BY ${DUE_ORDER} LIMIT $1)
    UNION ALL
    (SELECT r.recipient_workspace_id, ${againDueAt}, r.created_at FROM requests r
      WHERE ${again} AND r.recipient_workspace_id IS NOT NULL AND ${NOT_LEFT_OUT} ORDER BY ${DUE_ORDER} LIMIT $1)),
  seen AS (SELECT * FROM due ORDER BY due_at LIMIT $1),
  agents AS (
    SELECT agent, min(due_at) AS due_at, min(created_at) AS created_at, count(*)::int AS items FROM seen GROUP BY agent)
  SELECT agent, items, state, ${AGE} FROM agents
    CROSS JOIN LATERAL (SELECT ${state} AS state FROM workspaces w WHERE w.id = agents.agent OFFSET 0) looked_up
   ORDER BY due_at, agent`;

async function fromIdleAgents(sql: Sql, rules: DueRules, params: [number, string[]]): Promise<Candidate[]> {
  const { rows } = await sql.query<Candidate>(oldestOfEach(rules), params);
  return rows;
}

const oldestOfEach = ({ never, neverDueAt, again, againDueAt, state }: DueRules): string => `
  SELECT w.id AS agent, 'ready' AS state, ${AGE} FROM workspaces w CROSS JOIN LATERAL (
    (SELECT ${neverDueAt} AS due_at, r.created_at FROM requests r
      WHERE ${never} AND r.recipient_workspace_id = w.id ORDER BY ${DUE_ORDER} LIMIT 1)
    UNION ALL
    (SELECT ${againDueAt}, r.created_at FROM requests r
      WHERE ${again} AND r.recipient_workspace_id = w.id ORDER BY ${DUE_ORDER} LIMIT 1)
    ORDER BY 1 LIMIT 1) oldest
  WHERE w.status = 'online' AND w.active_tasks = 0 AND ${state} = 'ready' AND w.id <> ALL($2::uuid[])
  ORDER BY oldest.due_at, w.id LIMIT $1`;
