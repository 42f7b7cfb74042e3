import type { Sql } from '../../db/index.ts';
import {
  composeMail,
  composePost,
  composeReply,
  type DocumentAttachment,
  type MailDocument,
  type MailMessage,
  type MailPost,
} from '../../domain/index.ts';
import type { CarriedAttachment } from '../../wire/index.ts';
import { takeParts } from './attachment-parts.ts';
import { deliver } from './deliver.ts';
import { type MailboxRow, operatorMailbox, principalOf } from './mailbox-rows.ts';
import { BODY, type Envelope, plainBody } from './message-view.ts';
import { changeFlags, requireOwn, showMessage } from './own-messages.ts';
import { resolveRecipients } from './recipients.ts';

interface Outgoing {
  at: Date;
  message_id: string;
  body_content: string;
  attachments: CarriedAttachment[];
  idempotency_key?: string | null | undefined;
  expects_answer?: boolean | undefined;
  answer_by?: string | null | undefined;
}

export interface Sent {
  message: MailMessage;
  duplicate: boolean;
}

type Composed = Pick<Outgoing, 'message_id' | 'attachments'>;

/** The server's clock sets the time; the sender sets the id. */
const stamped = ({ at, attachments, idempotency_key, expects_answer, answer_by }: Outgoing) => ({
  at,
  idempotency_key,
  expects_answer,
  answer_by,
  attachments: attachments.map(stored),
});

export function sendMail(
  sql: Sql,
  self: MailboxRow,
  mail: Outgoing & { to: string[]; cc: string[]; subject: string },
): Promise<Sent> {
  return sql.transaction(async (tx) => {
    const to = await resolveRecipients(tx, self.org_id, mail.to);
    const cc = await resolveRecipients(tx, self.org_id, mail.cc);
    const document = composeMail({
      from: principalOf(self),
      to: to.map(principalOf),
      cc: cc.map(principalOf),
      subject: mail.subject,
      body: mail.body_content,
      ...stamped(mail),
    });
    const starts = { ...document, thread_id: mail.message_id };
    return finish(tx, { self, sender: self, recipients: [...to, ...cc] }, starts, mail);
  });
}

export function postMail(
  sql: Sql,
  self: MailboxRow,
  post: Outgoing & Pick<MailPost, 'subject' | 'reply_policy'>,
): Promise<Sent> {
  return sql.transaction(async (tx) => {
    const sender = await operatorMailbox(tx, self.org_id);
    const document = composePost({ to: principalOf(self), post, ...stamped(post) });
    const starts = { ...document, thread_id: post.message_id };
    return finish(tx, { self, sender, recipients: [self] }, starts, post);
  });
}

/** Delivers the reply and marks the parent read and answered, in one step. */
export function replyMail(
  sql: Sql,
  self: MailboxRow,
  reply: Outgoing & { message_ref: string },
): Promise<Sent> {
  return sql.transaction(async (tx) => {
    const own = await requireOwn(tx, self, reply);
    const parent = await documentOf(tx, own.seq);
    const document = composeReply({
      from: principalOf(self),
      parent,
      body: reply.body_content,
      ...stamped(reply),
    });
    const recipients = await resolveRecipients(
      tx,
      self.org_id,
      document.to.map(({ address }) => address),
    );
    const sent = await finish(tx, { self, sender: self, recipients }, document, reply);
    if (!sent.duplicate) await changeFlags(tx, self, [own], { read: true, answered: true });
    return sent;
  });
}

async function finish(
  tx: Sql,
  { self, sender, recipients }: { self: MailboxRow; sender: MailboxRow; recipients: MailboxRow[] },
  composed: MailDocument,
  { message_id, attachments }: Composed,
): Promise<Sent> {
  await takeParts(tx, self, attachments);
  const { seq, duplicate } = await deliver(tx, {
    sender,
    recipients,
    document: { ...composed, message_id },
  });
  return { message: await showMessage(tx, self, seq), duplicate };
}

/** Only the reader's half makes a path; here the bytes are in the database. */
function stored({
  attachment_id,
  media_type,
  sha256,
  size_bytes,
  label,
}: CarriedAttachment): DocumentAttachment {
  const about = { attachment_id, media_type, sha256, size_bytes, ...(label === undefined ? {} : { label }) };
  return { ...about, kind: 'managed_copy', path: `attachments/managed/${attachment_id}/${sha256}` };
}

async function documentOf(sql: Sql, seq: number): Promise<MailDocument> {
  const { rows } = await sql.query<{ envelope: Envelope; body: string }>(
    `SELECT m.envelope, ${BODY} FROM mail_messages m WHERE m.seq = $1`,
    [seq],
  );
  const { envelope, body } = rows[0]!;
  return { ...envelope, body: plainBody(body) };
}
