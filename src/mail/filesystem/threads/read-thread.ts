import type { Sqlite } from '../../../db/index.ts';
import type { MailMessage } from '../../../domain/index.ts';
import { type ViewRow, viewMessage } from '../message-view.ts';
import type { Layout } from '../root/layout.ts';

/** A message of a thread, and its state in each mailbox of the store that has it. */
export interface ThreadMessage {
  message: MailMessage;
  held: { address: string; box: string; read: boolean; answered: boolean }[];
}

interface Row extends Omit<ViewRow, 'is_read' | 'is_answered' | 'box'> {
  body: string;
}

interface MailboxFlags {
  address: string;
  box: string;
  is_read: number;
  is_answered: number;
}

/** The newest messages of a thread across all mailboxes, oldest first, as `address` sees those that it has. */
export function readThread(
  db: Sqlite,
  layout: Layout,
  { address, threadId, max }: { address: string; threadId: string; max: number },
): ThreadMessage[] {
  const rows = db.all<Row>(
    `SELECT m.seq, m.envelope_json, m.body_preview, b.body FROM messages m JOIN message_bodies b ON b.seq = m.seq
      WHERE json_extract(m.envelope_json, '$.thread_id') = :thread ORDER BY m.seq DESC LIMIT :max`,
    { thread: threadId, max },
  );
  return rows.reverse().map((row) => {
    const held = db.all<MailboxFlags>(
      `SELECT r.address, s.box, s.is_read, s.is_answered FROM mail_state s
         JOIN mailbox_registrations r ON r.number = s.registration
        WHERE s.seq = ? AND s.is_deleted = 0 AND r.status = 'active' ORDER BY r.address`,
      [row.seq],
    );
    const own = held.find((each) => each.address === address) ?? held[0];
    const state = own ?? { box: 'sent', is_read: 1, is_answered: 0 };
    return {
      message: viewMessage(layout, { ...row, ...state }),
      held: held.map(({ is_read, is_answered, ...each }) => ({
        ...each,
        read: is_read === 1,
        answered: is_answered === 1,
      })),
    };
  });
}
