import { crashPoint } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type AgentState, DUE_ORDER, type DueRules, OPEN } from './due.ts';
import { escalate } from './escalate.ts';
import { type Delivery, INFO_PRIORITY, type NudgeRules } from './nudge-rules.ts';
import { NUDGE_KEY_PREFIX, NUDGE_KIND, nudgeBody } from './nudge-text.ts';

/** `locked`: somebody changes the agent right now. `handled`: nothing is due any more. */
export type AgentOutcome =
  | { outcome: 'nudged'; items: number; escalated: number }
  | { outcome: Exclude<AgentState, 'ready'> | 'locked' | 'handled' };

const CHUNK = 500;

interface Look {
  org_id: string;
  state: AgentState;
  hour: number;
  expires_at: Date;
  due: number;
  open: number;
}

/**
 * One agent, one short transaction: lock, look again, enqueue, stamp. A second sweeper finds the agent locked, or the
 * items stamped. The lock lets new tickets for the agent be filed meanwhile.
 */
export function nudgeAgent(sql: Sql, workspaceId: string, nudge: NudgeRules): Promise<AgentOutcome> {
  return sql.transaction(async (tx) => {
    const look = await lockAndLook(tx, workspaceId, nudge.rules);
    if (!look) return { outcome: 'locked' };
    if (look.state !== 'ready') return { outcome: look.state };
    if (look.due === 0) return { outcome: 'handled' };
    const { created } = await nudge.enqueue(tx, messageFor(workspaceId, look));
    if (!created) return { outcome: 'queued' };
    crashPoint('nudge.enqueued');
    const escalated = await escalate(tx, workspaceId, nudge);
    const items = await stamp(tx, workspaceId, nudge.rules);
    crashPoint('nudge.stamped');
    return { outcome: 'nudged', items, escalated };
  });
}

/**
 * Locks the agent and what is due, so that what is announced cannot be answered in between; rows being answered now are
 * left out. A row that another server changed after this statement began is judged as it is now, because it is locked.
 */
async function lockAndLook(sql: Sql, workspaceId: string, rules: DueRules): Promise<Look | undefined> {
  const { rows } = await sql.query<Look>(
    `WITH never AS (${dueIds(rules.never)}), again AS (${dueIds(rules.again)})
     SELECT w.org_id, ${rules.state} AS state, extract(epoch FROM date_trunc('hour', now()))::bigint AS hour,
            ${rules.expiresAt} AS expires_at,
            ((SELECT count(*) FROM never) + (SELECT count(*) FROM again))::int AS due,
            (SELECT count(*)::int FROM requests r WHERE r.recipient_workspace_id = w.id AND ${OPEN}) AS open
       FROM workspaces w WHERE w.id = $1 FOR NO KEY UPDATE OF w SKIP LOCKED`,
    [workspaceId, CHUNK],
  );
  return rows[0];
}

const dueIds = (condition: string): string => `
  SELECT r.id FROM requests r WHERE r.recipient_workspace_id = $1 AND ${condition}
   ORDER BY ${DUE_ORDER} LIMIT $2 FOR UPDATE SKIP LOCKED`;

function messageFor(workspaceId: string, { org_id, hour, expires_at, open }: Look): Delivery {
  return {
    orgId: org_id,
    workspaceId,
    priority: INFO_PRIORITY,
    method: 'message/send',
    body: nudgeBody(open),
    kind: NUDGE_KIND,
    idempotencyKey: `${NUDGE_KEY_PREFIX}${workspaceId}:${hour}`,
    expiresAt: expires_at,
  };
}

/** In pieces that name no ids, so that a backlog of any size is neither held in memory nor sent over the wire. */
async function stamp(sql: Sql, workspaceId: string, rules: DueRules): Promise<number> {
  for (let stamped = 0; ; ) {
    const { rowCount } = await sql.query(
      `WITH never AS (${dueIds(rules.never)}), again AS (${dueIds(rules.again)}),
         told AS (UPDATE workspaces SET last_inbox_nudge_at = now() WHERE id = $1)
       UPDATE requests r SET last_nudged_at = now(), nudge_count = ${rules.unanswered} + 1
        WHERE r.id = ANY(ARRAY(SELECT id FROM never UNION ALL SELECT id FROM again))`,
      [workspaceId, CHUNK],
    );
    stamped += rowCount;
    if (rowCount < CHUNK) return stamped;
  }
}
