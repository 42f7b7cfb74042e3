import { invalid } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { InboxRequestMessage, InboxRequestThread } from '../../wire/index.ts';
import type { Identity } from '../identity/index.ts';
import { requireParty } from './access.ts';
import { findTicket, nameOf, UUID, viewOf } from './ticket-row.ts';

interface MessageRow extends Omit<InboxRequestMessage, 'created_at'> {
  created_at: Date;
}

/** Returns the ticket and the newest page of its thread, oldest first; the cursor leads to earlier messages. */
export async function getThread(
  sql: Sql,
  caller: Identity,
  { id, limit = 50, cursor }: { id: string; limit?: number | undefined; cursor?: string | undefined },
): Promise<InboxRequestThread> {
  const row = await findTicket(sql, caller, { id });
  requireParty(caller, row);
  if (cursor !== undefined) await requireMessage(sql, row.id, cursor);
  const { rows } = await sql.query<MessageRow>(
    `SELECT m.id, m.request_id, m.author_type, m.author_id, m.body, m.closing, m.created_at,
            ${nameOf('m.author_type', 'm.author_id')} AS author_name
       FROM request_messages m
      WHERE m.request_id = $1 AND ($2::uuid IS NULL
         OR (m.created_at, m.id) < (SELECT c.created_at, c.id FROM request_messages c WHERE c.id = $2))
      ORDER BY m.created_at DESC, m.id DESC LIMIT $3`,
    [row.id, cursor ?? null, limit + 1],
  );
  const page = rows.slice(0, limit).reverse();
  return {
    request: viewOf(row),
    messages: page.map((message) => ({ ...message, created_at: message.created_at.toISOString() })),
    earlier_cursor: rows.length > limit ? page[0]!.id : null,
  };
}

async function requireMessage(sql: Sql, ticketId: string, cursor: string): Promise<void> {
  const { rowCount } = UUID.test(cursor)
    ? await sql.query('SELECT 1 FROM request_messages WHERE id = $1 AND request_id = $2', [cursor, ticketId])
    : { rowCount: 0 };
  if (rowCount === 0)
    throw invalid('the cursor does not belong to this thread', { hint: 'start again without it' });
}
