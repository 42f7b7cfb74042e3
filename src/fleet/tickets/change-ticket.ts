import type { Sql } from '../../db/index.ts';
import { refusal } from '../../wire/index.ts';
import type { Identity } from '../identity/index.ts';
import { findTicket, isOpen, type TicketRow, viewOf } from './ticket-row.ts';

/** Who changes which ticket. */
export interface Change {
  caller: Identity;
  id: string;
}

/**
 * Makes one change to an open ticket, with its row locked from before the checks until the commit: of two at once, the
 * second sees what the first has done. A closed ticket is a `conflict` that carries the row.
 */
export function changeOpen<T>(
  sql: Sql,
  { caller, id }: Change,
  { may, change }: { may: (row: TicketRow) => void; change: (sql: Sql, row: TicketRow) => Promise<T> },
): Promise<T> {
  return sql.transaction(async (tx) => {
    const row = await findTicket(tx, caller, { id, lock: true });
    may(row);
    if (!isOpen(row)) {
      throw refusal('already_resolved', `the request is already ${row.status}`, {
        hint: 'it is closed; create a new one if you still need it',
        facts: { request: viewOf(row) },
      });
    }
    return change(tx, row);
  });
}
