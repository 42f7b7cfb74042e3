import type { Sql } from '../../db/index.ts';
import { partyOf } from '../identity/index.ts';
import { requireCanceller } from './access.ts';
import { type Change, changeOpen } from './change-ticket.ts';
import { dropAnnouncement, type Enqueue, notify } from './notices.ts';
import { close } from './respond-ticket.ts';
import { recordEvent } from './ticket-events.ts';
import { findTicket, type TicketRow } from './ticket-row.ts';

/** Withdraws a ticket and notifies a recipient that may be working on it. */
export function cancelTicket(sql: Sql, enqueue: Enqueue, change: Change): Promise<TicketRow> {
  const actor = partyOf(change.caller);
  return changeOpen(sql, change, {
    may: (row) => requireCanceller(change.caller, row),
    async change(tx, before) {
      await close(tx, { id: before.id, status: 'cancelled', by: actor });
      const row = await findTicket(tx, change.caller, { id: before.id });
      await dropAnnouncement(tx, row);
      await notify(tx, enqueue, { what: 'cancelled', row, actor, key: `request-cancelled:${row.id}` });
      await recordEvent(tx, {
        ticketId: row.id,
        orgId: row.org_id,
        type: 'REQUEST_CANCELLED',
        actor,
        from: before.status,
        to: row.status,
      });
      return row;
    },
  });
}
