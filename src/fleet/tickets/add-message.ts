import type { Sql } from '../../db/index.ts';
import { partyOf } from '../identity/index.ts';
import { isRequester, requireParty } from './access.ts';
import { type Change, changeOpen } from './change-ticket.ts';
import { insertMessage } from './insert-message.ts';
import { type Enqueue, notify } from './notices.ts';
import { recordEvent } from './ticket-events.ts';
import { findTicket, type TicketRow } from './ticket-row.ts';

/**
 * Adds a message to the thread. From anyone but the requester it asks the requester for more (`info_requested`); the
 * requester's own message hands the ticket back (`pending`). The other side is notified.
 */
export function addMessage(
  sql: Sql,
  enqueue: Enqueue,
  { body, ...change }: Change & { body: string },
): Promise<{ row: TicketRow; messageId: string }> {
  const author = partyOf(change.caller);
  return changeOpen(sql, change, {
    may: (row) => requireParty(change.caller, row),
    async change(tx, before) {
      const messageId = await insertMessage(tx, { row: before, author, body });
      const [status, turn] = isRequester(change.caller, before)
        ? ['pending', 'recipient']
        : ['info_requested', 'requester'];
      await tx.query(
        'UPDATE requests SET status = $2, turn = $3, updated_at = clock_timestamp() WHERE id = $1',
        [before.id, status, turn],
      );
      const row = await findTicket(tx, change.caller, { id: before.id });
      await notify(tx, enqueue, { what: 'message', row, actor: author, key: `request-message:${messageId}` });
      await recordEvent(tx, {
        ticketId: row.id,
        orgId: row.org_id,
        type: 'REQUEST_MESSAGE',
        actor: author,
        from: before.status,
        to: row.status,
        data: { message_id: messageId },
      });
      return { row, messageId };
    },
  });
}
