import { invalid } from '../../base/index.ts';
import type { Sql, SqlValue } from '../../db/index.ts';
import { CLOSED_TICKETS, sqlList, type TicketFilter, type TicketKind } from '../../domain/index.ts';
import type { InboxRequestList } from '../../wire/index.ts';
import type { Identity, Party } from '../identity/index.ts';
import { PAGE_BYTES } from '../page-of-bytes.ts';
import { visibleTo } from './access.ts';
import { OPEN, SELECT_TICKET, type TicketRow, UUID, viewOf } from './ticket-row.ts';

export interface TicketQuery {
  status?: TicketFilter | undefined;
  kind?: TicketKind | undefined;
  recipientType?: Party['type'] | undefined;
  limit?: number | undefined;
  /** The id of the last ticket on the previous page. */
  cursor?: string | undefined;
}

/**
 * What an agent or a person is asked: most urgent first, then oldest. A person's list includes what anyone may take.
 */
export function listInbox(
  sql: Sql,
  { orgId, party }: { orgId: string; party: Party },
  wanted: TicketQuery,
): Promise<InboxRequestList> {
  const whose = party.type === 'user' ? `r.recipient_id IN ($3, '')` : 'r.recipient_id = $3';
  return list(sql, wanted, {
    condition: `r.org_id = $1 AND r.recipient_type = $2 AND ${whose}`,
    params: [orgId, party.type, party.id],
    order: URGENT_FIRST,
  });
}

/** What a party asked, newest first. */
export function listOutgoing(
  sql: Sql,
  { orgId, party }: { orgId: string; party: Party },
  wanted: TicketQuery,
): Promise<InboxRequestList> {
  return list(sql, wanted, {
    condition: 'r.org_id = $1 AND r.requester_type = $2 AND r.requester_id = $3',
    params: [orgId, party.type, party.id],
    order: NEWEST_FIRST,
  });
}

/** Everything the caller may see, most urgent first. */
export function listVisible(sql: Sql, caller: Identity, wanted: TicketQuery): Promise<InboxRequestList> {
  return list(sql, wanted, { ...visibleTo(caller, 1), order: URGENT_FIRST });
}

interface Order {
  by: string;
  /** Condition for those after the cursor, whose urgency, time and id are three parameters from `$first` on. */
  behind: (first: number) => string;
}

const URGENT_FIRST: Order = {
  by: '-coalesce(r.priority, 0), r.created_at, r.id',
  behind: (n) =>
    `(-coalesce(r.priority, 0), r.created_at, r.id) > ($${n}::int, $${n + 1}::timestamptz, $${n + 2}::uuid)`,
};
const NEWEST_FIRST: Order = {
  by: 'r.created_at DESC, r.id DESC',
  behind: (n) =>
    `$${n}::int IS NOT NULL AND (r.created_at, r.id) < ($${n + 1}::timestamptz, $${n + 2}::uuid)`,
};

/** A page has at least one ticket; texts that do not fit are not read. */
function selectWhatFits({ by }: Order): string {
  const size = `octet_length(coalesce(r.detail, ''))`;
  const fits = `(sum(${size}) OVER (ORDER BY ${by}) - ${size} < ${PAGE_BYTES})`;
  return SELECT_TICKET.replace(
    'r.detail,',
    `CASE WHEN ${fits} THEN r.detail END AS detail, ${fits} AS fits,`,
  );
}

interface Scope {
  condition: string;
  params: SqlValue[];
}

async function list(
  sql: Sql,
  { status = 'open', kind, recipientType, limit = 50, cursor }: TicketQuery,
  { order, ...scope }: Scope & { order: Order },
): Promise<InboxRequestList> {
  const narrowed = [
    scope.condition,
    ...(kind ? [`r.kind = '${kind}'`] : []),
    ...(recipientType ? [`r.recipient_type = '${recipientType}'`] : []),
  ].join(' AND ');
  const from = cursor === undefined ? undefined : await place(sql, cursor, scope);
  const first = scope.params.length + 2;
  const { rows } = await sql.query<TicketRow & { fits: boolean }>(
    `${selectWhatFits(order)} WHERE ${narrowed} ${statusCondition(status)} ${from ? `AND ${order.behind(first)}` : ''}
      ORDER BY ${order.by} LIMIT $${first - 1}`,
    [...scope.params, limit + 1, ...(from ?? [])],
  );
  const { rows: counted } = await sql.query<{ open: number }>(
    `SELECT count(*) AS open FROM requests r WHERE ${narrowed} AND r.status IN ${OPEN}`,
    scope.params,
  );
  const over = rows.findIndex(({ fits }) => !fits);
  const shown = rows
    .slice(0, over === -1 ? limit : Math.min(over, limit))
    .map(({ fits: _, ...row }) => viewOf(row));
  const truncated = rows.length > shown.length;
  return {
    requests: shown,
    total_open: counted[0]!.open,
    next_cursor: truncated ? shown.at(-1)!.id : null,
    truncated,
  };
}

function statusCondition(status: TicketFilter): string {
  if (status === 'all') return '';
  if (status === 'open') return `AND r.status IN ${OPEN}`;
  if (status === 'closed') return `AND r.status IN ${sqlList(CLOSED_TICKETS)}`;
  return `AND r.status = '${status}'`;
}

/** Where the previous page ended. Times are text, since a Date would lose the microseconds. */
async function place(sql: Sql, cursor: string, { condition, params }: Scope): Promise<SqlValue[]> {
  const { rows } = UUID.test(cursor)
    ? await sql.query<{ urgency: number; at: string; id: string }>(
        `SELECT -coalesce(r.priority, 0) AS urgency, r.created_at::text AS at, r.id FROM requests r
          WHERE ${condition} AND r.id = $${params.length + 1}`,
        [...params, cursor],
      )
    : { rows: [] };
  const [found] = rows;
  if (!found) throw invalid('the cursor does not belong to this list', { hint: 'start again without it' });
  return [found.urgency, found.at, found.id];
}
