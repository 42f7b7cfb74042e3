import { randomUUID } from 'node:crypto';
import type { Sql } from '../../src/db/index.ts';
import { acknowledgeAll, DELIVERY_PRIORITY, type NewDelivery } from '../../src/fleet/delivery/index.ts';
import { ensureOrg } from '../../src/fleet/index.ts';

export interface Target {
  orgId: string;
  workspaceId: string;
}

/** An agent, in its own tenant unless one is passed, registered by this session. */
export async function newTarget(
  sql: Sql,
  { orgId, sessionId = 'one' }: { orgId?: string; sessionId?: string } = {},
) {
  const org = orgId ?? (await ensureOrg(sql, `org-${randomUUID()}`)).id;
  const workspaceId = randomUUID();
  await sql.query(
    `INSERT INTO workspaces (id, org_id, agent_id, name, status, session_id) VALUES ($1, $2, $3, $3, 'online', $4)`,
    [workspaceId, org, `agent-${workspaceId}`, sessionId],
  );
  return { orgId: org, workspaceId } satisfies Target;
}

export const message = (target: Target, more: Partial<NewDelivery> = {}): NewDelivery => ({
  ...target,
  priority: DELIVERY_PRIORITY.task,
  method: 'message/send',
  body: { method: 'message/send', params: { message: { parts: [{ kind: 'text', text: 'hello' }] } } },
  ...more,
});

export interface Row {
  status: string;
  attempts: number;
  last_error: string | null;
  claimed_by: string | null;
  priority: number;
  completed_at: Date | null;
  next_attempt_at: Date | null;
  outcome: string | null;
  idempotency_key: string | null;
  enqueued_at: Date;
  expires_at: Date | null;
  gateway_request_id: string | null;
}

export async function rowOf(sql: Sql, id: string): Promise<Row> {
  const { rows } = await sql.query<Row>('SELECT * FROM a2a_queue WHERE id = $1', [id]);
  return rows[0]!;
}

/** Lets time pass for one message by moving its stamps into the past. */
export async function age(sql: Sql, id: string, seconds: number): Promise<void> {
  await sql.query(
    `UPDATE a2a_queue SET enqueued_at = enqueued_at - d, expires_at = expires_at - d, lease_until = lease_until - d,
        next_attempt_at = next_attempt_at - d, completed_at = completed_at - d
       FROM make_interval(secs => $2::float8) AS d WHERE id = $1::uuid`,
    [id, seconds],
  );
}

type Holder = Parameters<typeof acknowledgeAll>[1];
type Ack = Parameters<typeof acknowledgeAll>[2][number];

/** Acknowledges one message. */
export async function acknowledge(sql: Sql, ack: Ack & Holder) {
  const [result] = await acknowledgeAll(sql, ack, [ack]);
  return result!;
}
