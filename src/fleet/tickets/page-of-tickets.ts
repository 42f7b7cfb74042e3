import { invalid } from '../../base/index.ts';
import type { Sql, SqlValue } from '../../db/index.ts';
import type { InboxRequest } from '../../wire/index.ts';
import { nameOf, SELECT_TICKET, type TicketRow, UUID, viewOf } from './ticket-row.ts';

export interface TicketPage {
  /** Over `requests r`; its parameters come first. */
  condition: string;
  params?: SqlValue[] | undefined;
  /** Only those from or to an agent of this name. */
  agent?: string | undefined;
  cursor?: string | undefined;
  limit: number;
  oldestFirst: boolean;
}

/** What a list for people has besides the request itself. */
interface Extra {
  nudge_count: number;
  escalated_at: Date | null;
  responder_name: string | null;
  /** The beginning of what was written with the answer. */
  note: string | null;
}
type Row = TicketRow & Extra;

const EXTRA = `r.close_reason, r.nudge_count, r.escalated_at, ${nameOf('r.responder_type', 'r.responder_id')} AS responder_name,
  (SELECT left(m.body, 500) FROM request_messages m WHERE m.request_id = r.id AND m.closing
    ORDER BY m.created_at DESC LIMIT 1) AS note`;

/** Lists tickets of every tenant, for those who look after the whole server. Ids are in the order of creation. */
export async function pageOfTickets(
  sql: Sql,
  { condition, params = [], agent, cursor, limit, oldestFirst }: TicketPage,
): Promise<{ rows: (InboxRequest & Extra)[]; next: string | null }> {
  if (cursor !== undefined && !UUID.test(cursor))
    throw invalid('the cursor does not belong to this list', { hint: 'start again without it' });
  const n = params.length;
  const select = SELECT_TICKET.replace('r.close_reason', () => EXTRA);
  const { rows } = await sql.query<Row>(
    `${select} WHERE ${condition}
        AND ($${n + 1}::text IS NULL OR EXISTS (SELECT 1 FROM workspaces w WHERE w.name = $${n + 1}
              AND (w.id = r.recipient_workspace_id OR (r.requester_type = 'agent' AND w.id::text = r.requester_id))))
        AND ($${n + 2}::uuid IS NULL OR r.id ${oldestFirst ? '>' : '<'} $${n + 2}::uuid)
      ORDER BY r.id ${oldestFirst ? '' : 'DESC'} LIMIT $${n + 3}`,
    [...params, agent ?? null, cursor ?? null, limit + 1],
  );
  const shown = rows.slice(0, limit).map(({ nudge_count, escalated_at, responder_name, note, ...row }) => ({
    ...viewOf(row),
    nudge_count,
    escalated_at,
    responder_name,
    note,
  }));
  return { rows: shown, next: rows.length > limit ? shown.at(-1)!.id : null };
}
