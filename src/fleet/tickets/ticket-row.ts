import { notFound } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { isOpenTicket, OPEN_TICKETS, sqlList } from '../../domain/index.ts';
import type { InboxRequest } from '../../wire/index.ts';
import { type Identity, maySeeOrg, type Party } from '../identity/index.ts';

/** A ticket with the names of its two sides, as it comes from the database. */
export interface TicketRow
  extends Omit<InboxRequest, 'created_at' | 'updated_at' | 'responded_at' | 'last_nudged_at'> {
  recipient_workspace_id: string | null;
  created_at: Date;
  updated_at: Date;
  responded_at: Date | null;
  last_nudged_at: Date | null;
}

export const OPEN = sqlList(OPEN_TICKETS);

/**
 * A person's id is their name; an agent's name is in its workspace. The id is cast to uuid, not the workspace's id to
 * text, so that the index is used; an id that is no uuid finds nothing.
 */
export const nameOf = (type: string, id: string): string =>
  `CASE ${type} WHEN 'user' THEN nullif(${id}, '') ELSE (SELECT w.name FROM workspaces w
     WHERE w.id = CASE WHEN ${id} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN ${id}::uuid END) END`;

/** Followed by the rest of a query over `requests r`. */
export const SELECT_TICKET = `
  SELECT r.id, r.org_id, r.kind, r.requester_type, r.requester_id, ${nameOf('r.requester_type', 'r.requester_id')} AS requester_name,
         r.recipient_type, r.recipient_id, ${nameOf('r.recipient_type', 'r.recipient_id')} AS recipient_name, r.recipient_workspace_id, r.title,
         r.detail, r.status, r.turn, r.responder_type, r.responder_id, r.priority, r.created_at, r.updated_at,
         r.responded_at, r.last_nudged_at, r.close_reason
    FROM requests r`;

export function viewOf({ recipient_workspace_id: _, ...row }: TicketRow): InboxRequest {
  return {
    ...row,
    workspace_name: row.requester_type === 'agent' ? row.requester_name : null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    responded_at: row.responded_at?.toISOString() ?? null,
    last_nudged_at: row.last_nudged_at?.toISOString() ?? null,
  };
}

export const isOpen = (row: TicketRow): boolean => isOpenTicket(row.status);

export const requesterOf = (row: TicketRow): Party => ({ type: row.requester_type, id: row.requester_id });
export const recipientOf = (row: TicketRow): Party => ({ type: row.recipient_type, id: row.recipient_id });
export const sameParty = (a: Party, b: Party): boolean => a.type === b.type && a.id === b.id;

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns the ticket, if it is of a tenant the caller may see; one of another tenant does not exist for the caller. */
export async function findTicket(
  sql: Sql,
  caller: Identity,
  { id, lock = false }: { id: string; lock?: boolean },
): Promise<TicketRow> {
  const { rows } = UUID.test(id)
    ? await sql.query<TicketRow>(`${SELECT_TICKET} WHERE r.id = $1 ${lock ? 'FOR UPDATE OF r' : ''}`, [id])
    : { rows: [] };
  const row = rows[0];
  if (row && maySeeOrg(caller, row.org_id)) return row;
  throw notFound(`there is no request ${id}`, {
    hint: '"rouse requests inbox" and "sent" list those you have',
  });
}
