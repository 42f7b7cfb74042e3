import type { Sql } from '../../db/index.ts';
import type { TicketStatus } from '../../domain/index.ts';
import type { InboxRequestEvent } from '../../wire/index.ts';
import type { Identity, Party } from '../identity/index.ts';
import { visibleTo } from './access.ts';

/** NOTIFY channel; the payload is the tenant whose tickets changed. A hint: the events are in the table. */
export const TICKETS_CHANNEL = 'rouse_requests';

export interface NewEvent {
  ticketId: string;
  orgId: string;
  type: InboxRequestEvent['type'];
  actor: Party;
  from: TicketStatus | null;
  to: TicketStatus;
  data?: Record<string, unknown>;
}

/**
 * Must be the last statement of its transaction: from here on the tenant's other changes wait for the commit, so events
 * become visible in the order of their ids, and a reader who continues after an id has missed none before it.
 */
export async function recordEvent(sql: Sql, event: NewEvent): Promise<void> {
  await sql.query(`SELECT pg_advisory_xact_lock(hashtextextended('${TICKETS_CHANNEL}:' || $1::text, 0))`, [
    event.orgId,
  ]);
  await sql.query(
    `WITH written AS (
       INSERT INTO request_events (request_id, org_id, type, actor_type, actor_id, from_status, to_status, data, at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp()))
     SELECT pg_notify('${TICKETS_CHANNEL}', $2::uuid::text)`,
    [
      event.ticketId,
      event.orgId,
      event.type,
      event.actor.type,
      event.actor.id,
      event.from,
      event.to,
      event.data ?? null,
    ],
  );
}

interface EventRow extends Omit<InboxRequestEvent, 'at'> {
  at: Date;
}

/** Returns what happened after an event, oldest first, as far as the caller may see it. */
export async function readEvents(
  sql: Sql,
  caller: Identity,
  { after, limit = 200 }: { after: number; limit?: number },
): Promise<InboxRequestEvent[]> {
  const { condition, params } = visibleTo(caller, 3);
  const { rows } = await sql.query<EventRow>(
    `SELECT e.id, e.type, e.request_id, e.org_id, r.kind, e.actor_type, e.actor_id, e.from_status, e.to_status, e.at, e.data
       FROM request_events e JOIN requests r ON r.id = e.request_id
      WHERE e.id > $1 AND ${condition} AND ($3::uuid IS NULL OR e.org_id = $3)
      ORDER BY e.id LIMIT $2`,
    [after, limit, ...params],
  );
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

/** The newest event, for readers who want only what comes next. */
export async function newestEvent(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM request_events');
  return rows[0]!.id;
}
