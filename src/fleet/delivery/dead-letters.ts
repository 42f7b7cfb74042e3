import { conflict, notFound } from '../../base/index.ts';
import { type Sql, sqlStateOf } from '../../db/index.ts';
import { DEAD_MESSAGES, type DeadStatus, sqlList } from '../../domain/index.ts';
import { DELIVERY_CHANNEL, type DeliveryView, VIEW_COLUMNS } from './message.ts';
import type { PageCursor } from './page-cursor.ts';

const UNIQUE_VIOLATION = '23505';

/** Null: every tenant. */
export interface Scope {
  orgId: string | null;
}

export interface DeadLetterQuery extends Scope {
  workspaceId?: string | undefined;
  status?: DeadStatus | undefined;
  limit: number;
  /** Cursor of the previous page. */
  after?: PageCursor | undefined;
}

export interface DeadLetterPage {
  messages: DeliveryView[];
  /** Where the next page begins; undefined on the last page. */
  next: PageCursor | undefined;
}

/** Lists what ended without reaching a gateway, or without the gateway's confirmation, latest first. */
export async function listDeadLetters(sql: Sql, query: DeadLetterQuery): Promise<DeadLetterPage> {
  const { rows } = await sql.query<DeliveryView & { at: string }>(
    `SELECT ${VIEW_COLUMNS}, completed_at::text AS at FROM a2a_queue
      WHERE status IN ${sqlList(DEAD_MESSAGES)} AND ($1::uuid IS NULL OR org_id = $1)
        AND ($2::uuid IS NULL OR workspace_id = $2) AND ($3::text IS NULL OR status = $3)
        AND ($4::timestamptz IS NULL OR (completed_at, id) < ($4::timestamptz, $5::uuid))
      ORDER BY completed_at DESC, id DESC LIMIT $6::int`,
    [
      query.orgId,
      query.workspaceId ?? null,
      query.status ?? null,
      query.after?.at ?? null,
      query.after?.id ?? null,
      query.limit + 1,
    ],
  );
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return {
    messages: page.map(({ at, ...view }) => view),
    next: last && { at: last.at, id: last.queue_id },
  };
}

/**
 * Puts a dead letter back in its place in the queue, with a new allowance of attempts. The fence keeps counting, so
 * an acknowledgement of an older lease stays stale. An expiry that has passed is lifted: a person wants it sent now.
 */
export async function replay(sql: Sql, { orgId, id }: Scope & { id: string }): Promise<DeliveryView> {
  try {
    const { rows } = await sql.query<DeliveryView>(
      `UPDATE a2a_queue SET status = 'queued', completed_at = NULL, next_attempt_at = NULL, dispatched_at = NULL,
            claimed_by = NULL, lease_until = NULL, outcome = NULL, outcome_at = NULL, max_attempts = attempts + 5,
            expires_at = CASE WHEN expires_at > now() THEN expires_at END
          WHERE id = $1::uuid AND ($2::uuid IS NULL OR org_id = $2) AND status IN ${sqlList(DEAD_MESSAGES)}
          RETURNING ${VIEW_COLUMNS}`,
      [id, orgId],
    );
    if (!rows[0]) throw await notDead(sql, id, orgId);
    sql.notify(DELIVERY_CHANNEL, rows[0].workspace_id);
    return rows[0];
  } catch (error) {
    if (sqlStateOf(error) !== UNIQUE_VIOLATION) throw error;
    throw conflict(`another message with the key of ${id} is on its way`, {
      hint: 'wait until it has ended',
      cause: error,
    });
  }
}

async function notDead(sql: Sql, id: string, orgId: string | null): Promise<Error> {
  const { rows } = await sql.query<{ status: string }>(
    'SELECT status FROM a2a_queue WHERE id = $1::uuid AND ($2::uuid IS NULL OR org_id = $2)',
    [id, orgId],
  );
  if (!rows[0]) return notFound(`there is no message ${id}`);
  return conflict(`message ${id} is ${rows[0].status}; only dropped and failed ones can be replayed`, {
    facts: { status: rows[0].status },
  });
}

/** Drops messages that have waited longer than this. Those already handed out are left alone. Returns how many. */
export async function dropStale(
  sql: Sql,
  { orgId, workspaceId, maxAgeMinutes }: Scope & { workspaceId?: string | undefined; maxAgeMinutes: number },
): Promise<number> {
  const { rowCount } = await sql.query(
    `UPDATE a2a_queue SET status = 'dropped', completed_at = now(), next_attempt_at = NULL,
        last_error = coalesce(last_error || '; ', '') || 'dropped by an administrator: it waited too long'
      WHERE id = ANY(ARRAY(SELECT id FROM a2a_queue WHERE status = 'queued' AND ($1::uuid IS NULL OR org_id = $1)
        AND ($2::uuid IS NULL OR workspace_id = $2) AND enqueued_at < now() - make_interval(mins => $3::int)
        FOR UPDATE SKIP LOCKED))`,
    [orgId, workspaceId ?? null, maxAgeMinutes],
  );
  return rowCount;
}
