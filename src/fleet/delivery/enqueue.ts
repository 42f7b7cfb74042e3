import { newUuid, notFound, unavailable } from '../../base/index.ts';
import { asJson, type Sql, type SqlValue } from '../../db/index.ts';
import { sqlList, TRAVELLING_MESSAGES } from '../../domain/index.ts';
import { isLiveToken, requireLive } from '../identity/index.ts';
import { DELIVERY_CHANNEL, DEPTH_COUNTED, RETRY_AFTER_SECONDS } from './message.ts';

export interface NewDelivery {
  /** Default: a new one. */
  id?: string;
  orgId: string;
  workspaceId: string;
  /** The sending workspace. Without either, the server itself is the sender. */
  callerId?: string | null;
  callerUser?: string | null;
  priority: number;
  body: unknown;
  method?: string | null;
  /** Merges with a message that is on its way: one active message per workspace and key. */
  idempotencyKey?: string | null;
  /** The key stays taken after the message has ended, for as long as the message is kept. */
  once?: boolean;
  expiresAt?: Date | null;
  /** Selects the guard that claim() asks. */
  kind?: string | null;
  /** Refuses the message if this many are waiting; max DEPTH_COUNTED. Default: no limit. */
  maxDepth?: number;
  /** The conversation of an A2A message. */
  contextId?: string | null;
  /** The token it was sent with. It is stored only if the token is valid at this moment; otherwise `unauthorized`. */
  tokenId?: string;
}

export interface Enqueued {
  id: string;
  /** False: `id` is the message that holds the key. */
  created: boolean;
  /** Messages waiting for this workspace, including this one; counted up to DEPTH_COUNTED. */
  depth: number;
}

const ATTEMPTS = 4;

/**
 * Stores a message and wakes those who wait for it. Inside the caller's transaction, no one is notified before the
 * commit. `not_found` if the workspace is not in the org, `unavailable` if `maxDepth` messages are waiting.
 */
export async function enqueue(sql: Sql, message: NewDelivery): Promise<Enqueued> {
  const id = message.id ?? newUuid();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const depth = await insert(sql, id, message);
    if (depth !== undefined) {
      sql.notify(DELIVERY_CHANNEL, message.workspaceId);
      return { id, created: true, depth: depth + 1 };
    }
    if (message.tokenId !== undefined) await requireLive(sql, message.tokenId);
    const found = await lookAround(sql, message);
    if (found.holder === null && found.depth >= (message.maxDepth ?? NO_LIMIT)) throw full(found.depth);
    if (found.holder !== null && !found.spent)
      return { id: found.holder, created: false, depth: found.depth };
    // Either the key's holder ended in between, or it never will; recording that frees the key.
    if (found.holder !== null) await retire(sql, found.holder);
  }
  throw unavailable('the message was not stored, because others with its key came and went', {
    hint: 'send it again',
  });
}

/**
 * The same for many messages, in one statement for all whose keys are free. Returns results in their order; the first
 * message that cannot be stored fails them all. None has a depth limit.
 */
export async function enqueueAll(
  sql: Sql,
  messages: readonly Omit<NewDelivery, 'maxDepth'>[],
): Promise<Pick<Enqueued, 'id' | 'created'>[]> {
  const named = messages.map((message) => ({ ...message, id: message.id ?? newUuid() }));
  const { rows } = await sql.query<{ id: string }>(INSERT_ALL, [asJson(named)], { prepared: true });
  const stored = new Set(rows.map(({ id }) => id));
  const answers: Pick<Enqueued, 'id' | 'created'>[] = [];
  for (const message of named) {
    const { id, workspaceId } = message;
    if (stored.has(id)) sql.notify(DELIVERY_CHANNEL, workspaceId);
    answers.push(stored.has(id) ? { id, created: true } : await enqueue(sql, message));
  }
  return answers;
}

/** Larger than any count. */
const NO_LIMIT = 2 * DEPTH_COUNTED;

async function insert(sql: Sql, id: string, message: NewDelivery): Promise<number | undefined> {
  const values: SqlValue[] = [
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
    message.maxDepth ?? NO_LIMIT,
    message.tokenId ?? null,
  ];
  const { rows } = await sql.query<{ depth: number }>(INSERT, values, { prepared: true });
  return rows[0]?.depth;
}

const depthOf = (workspace: string): string => `(SELECT count(*)::int FROM (SELECT FROM a2a_queue d
    WHERE d.workspace_id = ${workspace} AND d.status = 'queued' AND (d.expires_at IS NULL OR d.expires_at > now())
    LIMIT ${DEPTH_COUNTED}) counted)`;

const INSERT = `
  WITH waiting AS MATERIALIZED (SELECT ${depthOf('$3::uuid')} AS depth)
  INSERT INTO a2a_queue (id, org_id, workspace_id, caller_id, caller_user, priority, body, method, idempotency_key,
    once, expires_at, kind, context_id)
  SELECT $1::uuid, w.org_id, w.id, $4::uuid, $5, $6::smallint, $7::jsonb, $8, $9, $10::boolean, $11::timestamptz, $12, $13
    FROM workspaces w, waiting WHERE w.id = $3::uuid AND w.org_id = $2::uuid AND w.status <> 'removed'
      AND waiting.depth < $14::int AND ($15::uuid IS NULL OR ${isLiveToken('$15::uuid')})
  ON CONFLICT DO NOTHING
  RETURNING (SELECT depth FROM waiting) AS depth`;

/** The names are those of NewDelivery. */
const INSERT_ALL = `
  INSERT INTO a2a_queue (id, org_id, workspace_id, caller_id, caller_user, priority, body, method, idempotency_key,
    once, expires_at, kind, context_id)
  SELECT m.id, w.org_id, w.id, m."callerId", m."callerUser", m.priority, m.body, m.method, m."idempotencyKey",
      coalesce(m.once, false), m."expiresAt", m.kind, m."contextId"
    FROM jsonb_to_recordset($1::jsonb) AS m (id uuid, "orgId" uuid, "workspaceId" uuid, "callerId" uuid,
      "callerUser" text, priority smallint, body jsonb, method text, "idempotencyKey" text, once boolean,
      "expiresAt" timestamptz, kind text, "contextId" text)
    JOIN workspaces w ON w.id = m."workspaceId" AND w.org_id = m."orgId" AND w.status <> 'removed'
  ON CONFLICT DO NOTHING
  RETURNING id`;

interface QueueFacts {
  /** The message that holds the key. */
  holder: string | null;
  /** It will never be sent: it expired, or was leased to a session that ended without reporting whether it took it. */
  spent: boolean;
  depth: number;
}

async function lookAround(
  sql: Sql,
  { orgId, workspaceId, idempotencyKey }: NewDelivery,
): Promise<QueueFacts> {
  const { rows } = await sql.query<QueueFacts>(
    `SELECT q.id AS holder, coalesce(${SPENT}, false) AS spent, ${depthOf('w.id')} AS depth
       FROM workspaces w LEFT JOIN a2a_queue q ON q.workspace_id = w.id AND q.idempotency_key = $3
        AND (q.status IN ${sqlList(TRAVELLING_MESSAGES)} OR q.once)
      WHERE w.id = $1::uuid AND w.org_id = $2::uuid AND w.status <> 'removed'`,
    [workspaceId, orgId, idempotencyKey ?? null],
  );
  if (!rows[0]) throw notFound(`there is no agent ${workspaceId}`);
  return rows[0];
}

const SPENT = `NOT q.once AND (q.status = 'queued' AND q.expires_at <= now()
  OR q.status = 'dispatched' AND q.lease_until <= now() AND q.claimed_by IS DISTINCT FROM w.session_id)`;

async function retire(sql: Sql, id: string): Promise<void> {
  await sql.query(
    `UPDATE a2a_queue q SET
        status = CASE q.status WHEN 'queued' THEN 'dropped' ELSE 'failed' END,
        completed_at = now(),
        last_error = CASE q.status WHEN 'queued' THEN 'expired before it was sent'
          ELSE 'the session that had it is gone; it is unknown whether it was delivered' END
      FROM workspaces w WHERE w.id = q.workspace_id AND q.id = $1::uuid AND ${SPENT}`,
    [id],
  );
}

function full(depth: number): Error {
  return unavailable(`${depth} messages are already waiting for this agent`, {
    hint: 'send it again later',
    facts: { busy: true, retry_after: RETRY_AFTER_SECONDS },
  });
}
