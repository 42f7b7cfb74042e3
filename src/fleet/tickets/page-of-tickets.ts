import { invalid } from '../../base/index.ts';
import type { Sql, SqlValue } from '../../db/index.ts';
import type { InboxRequest } from '../../wire/index.ts';
import { SELECT_TICKET, type TicketRow, UUID, viewOf } from './ticket-row.ts';

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

interface Row extends TicketRow {
  nudge_count: number;
  escalated_at: Date | null;
}

type Nudged = InboxRequest & { nudge_count: number; escalated_at: Date | null };

/** Lists tickets of every tenant, for those who look after the whole server. Ids are in the order of creation. */
export async function pageOfTickets(
  sql: Sql,
  { condition, params = [], agent, cursor, limit, oldestFirst }: TicketPage,
): Promise<{ rows: Nudged[]; next: string | null }> {
  if (cursor !== undefined && !UUID.test(cursor))
    throw invalid('the cursor does not belong to this list', { hint: 'start again without it' });
  const n = params.length;
  const select = SELECT_TICKET.replace('r.close_reason', 'r.close_reason, r.nudge_count, r.escalated_at');
  const { rows } = await sql.query<Row>(
    `${select} WHERE ${condition}
        AND ($${n + 1}::text IS NULL OR EXISTS (SELECT 1 FROM workspaces w WHERE w.name = $${n + 1}
              AND (w.id = r.recipient_workspace_id OR (r.requester_type = 'agent' AND w.id::text = r.requester_id))))
        AND ($${n + 2}::uuid IS NULL OR r.id ${oldestFirst ? '>' : '<'} $${n + 2}::uuid)
      ORDER BY r.id ${oldestFirst ? '' : 'DESC'} LIMIT $${n + 3}`,
    [...params, agent ?? null, cursor ?? null, limit + 1],
  );
  const shown = rows.slice(0, limit).map(({ nudge_count, escalated_at, ...row }) => ({
    ...viewOf(row),
    nudge_count,
    escalated_at,
  }));
  return { rows: shown, next: rows.length > limit ? shown.at(-1)!.id : null };
}
