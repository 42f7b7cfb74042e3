import type { Sql } from '../../../db/index.ts';
import { cleanLine, type DayTicket } from '../../../domain/index.ts';
import type { DaySpan } from '../../../session/index.ts';

const MAX_TICKETS = 400;
const MAX_TITLE = 300;

/** The requests of one agent in that time, from the server's own database. */
export async function ticketsOf(
  sql: Sql,
  agentId: string,
  { fromUtc, toUtc }: DaySpan,
): Promise<DayTicket[]> {
  const { rows } = await sql.query<{
    id: string;
    title: string;
    status: string;
    created_at: Date;
    mine: boolean;
  }>(
    `WITH own AS (SELECT id FROM workspaces WHERE agent_id = $1)
     SELECT r.id, r.title, r.status, r.created_at, r.requester_id IN (SELECT id::text FROM own) AS mine
       FROM requests r
      WHERE (r.recipient_workspace_id IN (SELECT id FROM own)
          OR (r.requester_type = 'agent' AND r.requester_id IN (SELECT id::text FROM own)))
        AND r.created_at BETWEEN $2 AND $3
      ORDER BY r.created_at DESC LIMIT ${MAX_TICKETS}`,
    [agentId, fromUtc, toUtc],
  );
  return rows.map(({ id, title, status, created_at, mine }) => ({
    at_utc: created_at.toISOString(),
    request_id: id,
    direction: mine ? 'asks' : 'is_asked',
    title: cleanLine(title, MAX_TITLE),
    status,
  }));
}
