import { newUuid, notFound, unavailable } from '../../base/index.ts';
import { asJson, type Sql, type SqlValue } from '../../db/index.ts';
import { DELIVERY_CHANNEL, DEPTH_COUNTED } from './message.ts';

export interface NewDelivery {
  /** Default: a new one. */
  id?: string;
  orgId: string;
  workspaceId: string;
  /** The sending workspace. Neither: the server itself. */
  callerId?: string | null;
  callerUser?: string | null;
  priority: number;
  body: unknown;
  method?: string | null;
  /** Collapses what is on the way already: one active message per workspace and key. */
  idempotencyKey?: string | null;
  /** The key stays taken after the message has ended, for as long as it is kept. */
  once?: boolean;
  expiresAt?: Date | null;
  /** What a guard of claim() is called for. */
  kind?: string | null;
  /** The conversation of an A2A message. */
  contextId?: string | null;
}

export interface Enqueued {
  id: string;
  /** False: `id` is the message that holds the key. */
  created: boolean;
  /** Messages waiting for this workspace, with this one; counted up to DEPTH_COUNTED. */
  depth: number;
}

const ATTEMPTS = 4;

/**
 * Stores a message and tells those who wait for it. Within the caller's transaction nobody hears of it before the commit.
 * `not_found` when the workspace is not one of the org.
 */
export async function enqueue(sql: Sql, message: NewDelivery): Promise<Enqueued> {
  const id = message.id ?? newUuid();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const inserted = await insert(sql, id, message);
    if (inserted) return { id, created: true, depth: inserted.depth + 1 };
    const existing = await holderOfKey(sql, message);
    if (existing) return { ...existing, created: false };
    // The holder of the key ended in between: the key is free again.
  }
  throw unavailable('the message was not stored, because others with its key came and went', {
    hint: 'send it again',
  });
}

/**
 * One statement. Who holds the key but will never be sent is put aside first: what has expired, and what was leased to a
 * session that is gone and did not say whether it took it.
 */
async function insert(sql: Sql, id: string, message: NewDelivery): Promise<{ depth: number } | undefined> {
  const { rows } = await sql.query<{ depth: number }>(message.idempotencyKey ? WITH_KEY : INSERT, [
    id,
    message.orgId,
    message.workspaceId,
    message.callerId ?? null,
    message.callerUser ?? null,
    message.priority,
    asJson(message.body),
    message.method ?? null,
    message.idempotencyKey ?? null,
    message.once ?? false,
    message.expiresAt ?? null,
    message.kind ?? null,
    message.contextId ?? null,
  ] satisfies SqlValue[]);
  return rows[0];
}

const DEPTH = `(SELECT count(*)::int FROM (SELECT FROM a2a_queue d WHERE d.workspace_id = $3 AND d.status = 'queued'
    AND (d.expires_at IS NULL OR d.expires_at > now()) LIMIT ${DEPTH_COUNTED - 1}) counted)`;

const insertFrom = (source: string): string => `
  INSERT INTO a2a_queue (id, org_id, workspace_id, caller_id, caller_user, priority, body, method, idempotency_key,
    once, expires_at, kind, context_id)
  SELECT $1::uuid, w.org_id, w.id, $4::uuid, $5, $6::smallint, $7::jsonb, $8, $9, $10::boolean, $11::timestamptz, $12, $13
    FROM ${source} WHERE w.id = $3::uuid AND w.org_id = $2::uuid AND w.status <> 'removed'
  ON CONFLICT DO NOTHING
  RETURNING ${DEPTH} AS depth, pg_notify('${DELIVERY_CHANNEL}', $3::text)`;

const INSERT = insertFrom('workspaces w');

/** Counting the retired rows makes PostgreSQL retire them before it inserts. */
const WITH_KEY = `
  WITH retired AS (
    UPDATE a2a_queue q SET
        status = CASE q.status WHEN 'queued' THEN 'dropped' ELSE 'failed' END,
        completed_at = now(),
        last_error = coalesce(last_error || '; ', '') || CASE q.status WHEN 'queued' THEN 'expired before it was sent'
          ELSE 'the session that had it is gone; whether it was delivered is unknown' END
      FROM workspaces w
      WHERE w.id = q.workspace_id AND q.workspace_id = $3 AND q.idempotency_key = $9
        AND (q.status = 'queued' AND q.expires_at <= now()
          OR q.status = 'dispatched' AND q.lease_until <= now() AND q.claimed_by IS DISTINCT FROM w.session_id)
      RETURNING 1)
  ${insertFrom('workspaces w, (SELECT count(*) FROM retired) r')}`;

async function holderOfKey(
  sql: Sql,
  { orgId, workspaceId, idempotencyKey }: NewDelivery,
): Promise<{ id: string; depth: number } | undefined> {
  const { rows } = await sql.query<{ id: string | null; depth: number }>(
    `SELECT q.id, ${DEPTH.replace('d.workspace_id = $3', 'd.workspace_id = w.id')} AS depth
       FROM workspaces w LEFT JOIN a2a_queue q ON q.workspace_id = w.id AND q.idempotency_key = $3
        AND (q.status IN ('queued', 'dispatched') OR q.once)
      WHERE w.id = $1::uuid AND w.org_id = $2::uuid AND w.status <> 'removed'`,
    [workspaceId, orgId, idempotencyKey ?? null],
  );
  if (!rows[0]) throw notFound(`there is no agent ${workspaceId}`);
  return rows[0].id === null ? undefined : { id: rows[0].id, depth: rows[0].depth };
}
