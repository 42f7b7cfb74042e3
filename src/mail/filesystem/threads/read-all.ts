import type { Sqlite } from '../../../db/index.ts';
import type { MailMessage } from '../../../domain/index.ts';
import { cutPage } from '../list-messages.ts';
import { type ViewRow, viewMessage } from '../message-view.ts';
import type { Layout } from '../root/layout.ts';

export interface AllMailQuery {
  /** Only mail that some mailbox has in this box. */
  box: string | null;
  /** Only mail that some mailbox has not read yet. */
  unread: boolean;
  /** An FTS5 expression. */
  match: string | undefined;
  /** Before this number. */
  before: number;
  limit: number;
  /** A message is shown as this mailbox sees it, if it has it. */
  first: string;
}

export interface AllMailPage {
  messages: { address: string; message: MailMessage }[];
  nextCursor: string | null;
}

interface Row extends ViewRow {
  address: string;
}

/**
 * Newest first, across all mailboxes. A shared message is listed once: as `first` has it, else as a recipient has it.
 */
export function readAll(db: Sqlite, layout: Layout, query: AllMailQuery): AllMailPage {
  const { match, before, limit, box, first } = query;
  const held = `SELECT s.registration FROM mail_state s JOIN mailbox_registrations r ON r.number = s.registration
    WHERE s.seq = m.seq AND s.is_deleted = 0 AND r.status = 'active' AND (:box IS NULL OR s.box = :box)
      ${query.unread ? 'AND s.is_read = 0' : ''}
    ORDER BY r.address = :first DESC, s.box = 'sent', s.box = 'archive', r.address LIMIT 1`;
  const found = match === undefined ? 'messages m' : 'mail_search f JOIN messages m ON m.seq = f.rowid';
  const rows = db.all<Row>(
    `SELECT s.seq, s.box, s.is_read, s.is_answered, m.envelope_json, m.body_preview, r.address
     FROM ${found} JOIN mail_state s ON s.seq = m.seq AND s.registration = (${held})
     JOIN mailbox_registrations r ON r.number = s.registration
     WHERE m.seq < :before ${match === undefined ? '' : 'AND mail_search MATCH :match'}
     ORDER BY m.seq DESC LIMIT :limit`,
    { before, box, first, limit: limit + 1, ...(match !== undefined && { match }) },
  );
  const { rows: shown, nextCursor } = cutPage(rows, limit);
  const messages = (shown as Row[]).map((row) => ({
    address: row.address,
    message: viewMessage(layout, row),
  }));
  return { messages, nextCursor };
}
