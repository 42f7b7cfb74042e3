import type { Sql } from '../../db/index.ts';
import { partyOf } from '../identity/index.ts';
import { requireCanceller } from './access.ts';
import { type Change, changeOpen } from './change-request.ts';
import { dropAnnouncement, type Enqueue, notify } from './notices.ts';
import { recordEvent } from './request-events.ts';
import { findRequest, type RequestRow } from './request-row.ts';
import { close } from './respond-request.ts';

/** Withdraws a request; whoever may be working on it is told to stop. */
export function cancelRequest(sql: Sql, enqueue: Enqueue, change: Change): Promise<RequestRow> {
  const actor = partyOf(change.caller);
  return changeOpen(sql, change, {
    may: (row) => requireCanceller(change.caller, row),
    async change(tx, before) {
      await close(tx, { id: before.id, status: 'cancelled', by: actor });
      const row = await findRequest(tx, change.caller, { id: before.id });
      await dropAnnouncement(tx, row);
      await notify(tx, enqueue, { what: 'cancelled', row, actor, key: `request-cancelled:${row.id}` });
      await recordEvent(tx, {
        requestId: row.id,
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
