import { crashPoint } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type AgentState, DUE_ORDER, type DueRules, OPEN } from './due.ts';
import { escalate } from './escalate.ts';
import { type Delivery, INFO_PRIORITY, type NudgeRules } from './nudge-rules.ts';
import { NUDGE_KEY_PREFIX, NUDGE_KIND, nudgeBody } from './nudge-text.ts';

/** `locked`: the agent is being changed right now. `handled`: nothing is due any more. */
export type AgentOutcome = 'nudged' | Exclude<AgentState, 'ready'> | 'locked' | 'handled';

export interface Nudged {
  /** For each agent that had its turn. The others had too much in their inboxes and wait for the next transaction. */
  outcomes: Map<string, AgentOutcome>;
  /** How many were stamped. */
  items: number;
  escalated: number;
}

/** Items of one agent that one statement stamps. */
const CHUNK = 500;
/** Max open items of all agents in a transaction, unless the first agent alone has more. Keeps locks short. */
const MAX_ITEMS = 5000;

interface AgentLook {
  id: string;
  org_id: string;
  state: AgentState;
  hour: number;
  expires_at: Date;
  due: boolean;
  open: number;
}

/**
 * Nudges some agents in one short transaction: lock, check again, enqueue, stamp, each in one statement for all of
 * them. A second sweeper finds the agents locked or the items stamped. New tickets for the agents can still be filed
 * under the lock.
 */
export function nudgeAgents(sql: Sql, agents: readonly string[], nudge: NudgeRules): Promise<Nudged> {
  return sql.transaction(async (tx) => {
    const looks = await lockAndLook(tx, agents, nudge.rules);
    const outcomes = new Map<string, AgentOutcome>(agents.map((agent) => [agent, 'locked']));
    for (const { id, state } of looks) outcomes.set(id, state === 'ready' ? 'handled' : state);
    const due = looks.filter((look) => look.due);
    const mine = due.slice(0, fitting(due));
    for (const { id } of due.slice(mine.length)) outcomes.delete(id);
    const stored = mine.length > 0 ? await nudge.enqueueAll(tx, mine.map(messageFor)) : [];
    for (const [index, { id }] of mine.entries())
      outcomes.set(id, stored[index]!.created ? 'nudged' : 'queued');
    const nudged = mine.map(({ id }) => id).filter((id) => outcomes.get(id) === 'nudged');
    if (nudged.length === 0) return { outcomes, items: 0, escalated: 0 };
    crashPoint('nudge.enqueued');
    const escalated = await escalate(tx, nudged, nudge);
    const items = await stamp(tx, nudged, nudge.rules);
    crashPoint('nudge.stamped');
    return { outcomes, items, escalated };
  });
}

/** Returns how many of them, from the first, fit in one transaction: at least one. */
function fitting(looks: readonly AgentLook[]): number {
  let sum = 0;
  const beyond = looks.findIndex(({ open }, index) => (sum += open) > MAX_ITEMS && index > 0);
  return beyond === -1 ? looks.length : beyond;
}

/**
 * Locks the agents, then checks them as they are now, and locks one due item of each that is ready, so that the reason
 * for its nudge cannot be answered in between. Rows being answered now are left out. Returns those it could lock.
 */
async function lockAndLook(sql: Sql, agents: readonly string[], rules: DueRules): Promise<AgentLook[]> {
  const locked = await sql.query<{ id: string }>(
    'SELECT id FROM workspaces WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED',
    [agents],
  );
  const { rows } = await sql.query<AgentLook>(
    `SELECT a.*, extract(epoch FROM date_trunc('hour', now()))::bigint AS hour, ${rules.expiresAt} AS expires_at,
            (a.state = 'ready' AND (${oneDue(rules.never)} OR ${oneDue(rules.again)})) AS due,
            (SELECT count(*)::int FROM requests r WHERE r.recipient_workspace_id = a.id AND ${OPEN}) AS open
       FROM (SELECT w.id, w.org_id, ${rules.state} AS state FROM workspaces w WHERE w.id = ANY($1::uuid[]) OFFSET 0) a`,
    [locked.rows.map(({ id }) => id)],
  );
  return rows;
}

const dueIds = (condition: string, limit: number): string => `
  SELECT r.id FROM requests r WHERE r.recipient_workspace_id = a.id AND ${condition}
   ORDER BY ${DUE_ORDER} LIMIT ${limit} FOR UPDATE SKIP LOCKED`;

const oneDue = (condition: string): string => `EXISTS (SELECT FROM (${dueIds(condition, 1)}) due)`;

function messageFor({ id, org_id, hour, expires_at, open }: AgentLook): Delivery {
  return {
    orgId: org_id,
    workspaceId: id,
    priority: INFO_PRIORITY,
    method: 'message/send',
    body: nudgeBody(open),
    kind: NUDGE_KIND,
    idempotencyKey: `${NUDGE_KEY_PREFIX}${id}:${hour}`,
    expiresAt: expires_at,
  };
}

/** Works in chunks that name no items, so a backlog of any size is neither held in memory nor sent over the wire. */
async function stamp(sql: Sql, agents: readonly string[], rules: DueRules): Promise<number> {
  const ofEach = (condition: string): string =>
    `SELECT due.id FROM unnest($1::uuid[]) AS a (id) CROSS JOIN LATERAL (${dueIds(condition, CHUNK)}) due`;
  let stamped = 0;
  for (let left = agents; left.length > 0; ) {
    const { rows } = await sql.query<{ agent: string; items: number }>(
      `WITH never AS (${ofEach(rules.never)}), again AS (${ofEach(rules.again)}),
         marked AS (UPDATE workspaces SET last_inbox_nudge_at = now() WHERE id = ANY($1::uuid[])),
         stamped AS (UPDATE requests r SET last_nudged_at = now(), nudge_count = ${rules.unanswered} + 1
           WHERE r.id = ANY(ARRAY(SELECT id FROM never UNION ALL SELECT id FROM again))
           RETURNING r.recipient_workspace_id AS agent)
       SELECT agent, count(*)::int AS items FROM stamped GROUP BY agent`,
      [left],
    );
    stamped += rows.reduce((sum, { items }) => sum + items, 0);
    left = rows.filter(({ items }) => items >= CHUNK).map(({ agent }) => agent);
  }
  return stamped;
}
