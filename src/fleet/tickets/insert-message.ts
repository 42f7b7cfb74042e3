import { newUuid } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { Party } from '../identity/index.ts';
import type { TicketRow } from './ticket-row.ts';

/** Returns its id. The ticket's row must be locked: the order of the thread is the order of the locks. */
export async function insertMessage(
  sql: Sql,
  { row, author, body, closing = false }: { row: TicketRow; author: Party; body: string; closing?: boolean },
): Promise<string> {
  const id = newUuid();
  await sql.query(
    `INSERT INTO request_messages (id, request_id, author_type, author_id, body, closing, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())`,
    [id, row.id, author.type, author.id, body, closing],
  );
  return id;
}
