import { notFound } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { ARCHIVE, type MailMessage, makeMailRef, parseBoxName, parseMailRef } from '../../domain/index.ts';
import { DELIVERY_CHANNEL } from '../delivery/index.ts';
import type { MailboxRow } from './mailbox-rows.ts';
import { BODY, FLEET, VIEW_COLUMNS, type ViewRow, viewMessage } from './message-view.ts';

export interface OwnMessage {
  seq: number;
  message_id: string;
  box: string;
  is_read: boolean;
  is_answered: boolean;
}

export interface FlagChange {
  read?: boolean | null | undefined;
  answered?: boolean | null | undefined;
  box?: string | undefined;
}

/** Returns a message as this mailbox has it; throws `not_found` if it does not. */
export async function requireOwn(
  sql: Sql,
  mailbox: MailboxRow,
  { message_ref, box }: { message_ref: string; box?: string | null | undefined },
): Promise<OwnMessage> {
  const [found] = await ownMessages(sql, mailbox, [parseMailRef(FLEET, message_ref)]);
  if (box != null && found!.box !== parseBoxName(box)) {
    const ref = makeMailRef(FLEET, found!.message_id);
    throw notFound(`message ${ref} is in box ${found!.box}, not in ${box}`, { facts: { box: found!.box } });
  }
  return found!;
}

/** Returns the messages in the order of the ids passed, locked: two changes at once run one after the other. */
async function ownMessages(
  sql: Sql,
  { id, address, org_id }: MailboxRow,
  ids: string[],
): Promise<OwnMessage[]> {
  const { rows } = await sql.query<OwnMessage>(
    `SELECT s.seq, m.message_id, s.box, s.is_read, s.is_answered
       FROM mail_state s JOIN mail_messages m ON m.seq = s.seq
      WHERE s.mailbox_id = $1 AND m.org_id = $2::uuid AND m.message_id = ANY($3::text[]) ORDER BY s.seq FOR UPDATE OF s`,
    [id, org_id, ids],
  );
  const found = new Map(rows.map((row) => [row.message_id, row]));
  return ids.map((messageId) => {
    const message = found.get(messageId);
    if (message) return message;
    throw notFound(`no message ${makeMailRef(FLEET, messageId)} in mailbox ${address}`, {
      hint: 'use a message_ref exactly as list or search of this mailbox returned it',
    });
  });
}

/** Returns the message with its body, as this mailbox sees it. One that it no longer has is shown as sent. */
export async function showMessage(sql: Sql, mailbox: MailboxRow, seq: number): Promise<MailMessage> {
  const { rows } = await sql.query<ViewRow>(
    `SELECT m.seq, coalesce(s.box, 'sent') AS box, coalesce(s.is_read, true) AS is_read,
        coalesce(s.is_answered, false) AS is_answered, m.envelope, m.body_preview, ${BODY}
       FROM mail_messages m LEFT JOIN mail_state s ON s.seq = m.seq AND s.mailbox_id = $1 WHERE m.seq = $2`,
    [mailbox.id, seq],
  );
  return viewMessage(rows[0]!);
}

/** Makes the same change to all of these messages or to none. */
export function changeOwn(
  sql: Sql,
  mailbox: MailboxRow,
  ids: string[],
  change: FlagChange,
): Promise<MailMessage[]> {
  return sql.transaction(async (tx) => {
    const messages = await ownMessages(tx, mailbox, ids);
    await changeFlags(tx, mailbox, messages, change);
    const { rows } = await tx.query<ViewRow>(
      `SELECT ${VIEW_COLUMNS}, ${BODY} FROM mail_state s JOIN mail_messages m ON m.seq = s.seq
        WHERE s.mailbox_id = $1 AND s.seq = ANY($2::bigint[])`,
      [mailbox.id, messages.map(({ seq }) => seq)],
    );
    const views = new Map(rows.map((row) => [row.seq, viewMessage(row)]));
    return messages.map(({ seq }) => views.get(seq)!);
  });
}

/** Archived mail is always read. Runs inside a transaction; watchers are notified if something changed. */
export async function changeFlags(
  tx: Sql,
  mailbox: MailboxRow,
  messages: readonly OwnMessage[],
  { read, answered, box }: FlagChange,
): Promise<void> {
  const { rowCount } = await tx.query(
    `UPDATE mail_state SET box = coalesce($3, box), is_read = coalesce($4::boolean, is_read),
        is_answered = coalesce($5::boolean, is_answered)
      WHERE mailbox_id = $1 AND seq = ANY($2::bigint[]) AND (box, is_read, is_answered) IS DISTINCT FROM
        (coalesce($3, box), coalesce($4::boolean, is_read), coalesce($5::boolean, is_answered))`,
    [
      mailbox.id,
      messages.map(({ seq }) => seq),
      box ?? null,
      box === ARCHIVE ? true : (read ?? null),
      answered ?? null,
    ],
  );
  if (rowCount > 0) await moveOn(tx, [mailbox]);
}

/**
 * Advances the version of each mailbox and notifies its waiters with the commit. Mailboxes are locked in one order, and
 * no harder than rows that refer to them allow, so senders to the same people never deadlock.
 */
export async function moveOn(tx: Sql, mailboxes: readonly MailboxRow[]): Promise<void> {
  await tx.query(
    `UPDATE mailboxes m SET version = m.version + 1
       FROM (SELECT id FROM mailboxes WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE) locked WHERE m.id = locked.id`,
    [mailboxes.map(({ id }) => id)],
  );
  await tx.query(`SELECT pg_notify('${DELIVERY_CHANNEL}', who) FROM unnest($1::text[]) who`, [
    mailboxes.map(waitingPlace),
  ]);
}

/** The name under which others wait for changes of a mailbox; the operator has no workspace. */
export const waitingPlace = ({ workspace_id, id }: MailboxRow): string => workspace_id ?? `mailbox ${id}`;
