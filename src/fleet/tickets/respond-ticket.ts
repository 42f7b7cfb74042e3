import type { Sql } from '../../db/index.ts';
import type { RespondRequestBody } from '../../wire/index.ts';
import { partyOf } from '../identity/index.ts';
import { requireActionForKind, requireAnswerer } from './access.ts';
import { type Change, changeOpen } from './change-ticket.ts';
import { insertMessage } from './insert-message.ts';
import { dropAnnouncement, type Enqueue, notify } from './notices.ts';
import { recordEvent } from './ticket-events.ts';
import { findTicket, type TicketRow } from './ticket-row.ts';

/** Stores the answer, its note and the notice to the agent that asked, or none of it. */
export function respondTicket(
  sql: Sql,
  enqueue: Enqueue,
  { action, note, ...change }: Change & RespondRequestBody,
): Promise<TicketRow> {
  const responder = partyOf(change.caller);
  return changeOpen(sql, change, {
    may(row) {
      requireAnswerer(change.caller, row);
      requireActionForKind(row, action);
    },
    async change(tx, before) {
      await close(tx, { id: before.id, status: action, by: responder });
      const messageId =
        note === null
          ? undefined
          : await insertMessage(tx, { row: before, author: responder, body: note, closing: true });
      const row = await findTicket(tx, change.caller, { id: before.id });
      await dropAnnouncement(tx, row);
      await notify(tx, enqueue, {
        what: 'responded',
        row,
        actor: responder,
        key: `request-responded:${row.id}`,
      });
      await recordEvent(tx, {
        ticketId: row.id,
        orgId: row.org_id,
        type: 'REQUEST_RESPONDED',
        actor: responder,
        from: before.status,
        to: row.status,
        ...(messageId && { data: { message_id: messageId } }),
      });
      return row;
    },
  });
}

export async function close(
  sql: Sql,
  {
    id,
    status,
    by,
    reason,
  }: { id: string; status: TicketRow['status']; by: { type: string; id: string }; reason?: string },
): Promise<void> {
  await sql.query(
    `UPDATE requests SET status = $2, responder_type = $3, responder_id = $4, responded_at = clock_timestamp(),
            updated_at = clock_timestamp(), close_reason = $5 WHERE id = $1`,
    [id, status, by.type, by.id, reason ?? null],
  );
}
