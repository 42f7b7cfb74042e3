import { conflict, crashPoint } from '../../base/index.ts';
import { asJson, type Sql } from '../../db/index.ts';
import {
  bodyPreview,
  contentDigest,
  IDEMPOTENCY_HEADER,
  INBOX,
  idempotencyScope,
  type MailDocument,
  SENT,
} from '../../domain/index.ts';
import { searchableWords } from '../../mail/store-parts.ts';
import type { MailboxRow } from './mailbox-rows.ts';
import { moveOn } from './own-messages.ts';

export interface Delivery {
  sender: MailboxRow;
  recipients: readonly MailboxRow[];
  document: MailDocument;
}

/**
 * Writes every row of one delivery, inside the transaction that is its commit point. An id or key that was used is a
 * duplicate if the content is the same and a conflict otherwise; nothing is written in either case. Someone who sends
 * the same at the same moment waits here for the other and gets the same result.
 */
export async function deliver(
  tx: Sql,
  { sender, recipients, document }: Delivery,
): Promise<{ seq: number; duplicate: boolean }> {
  const { body, ...envelope } = document;
  const key = document.headers[IDEMPOTENCY_HEADER];
  const digest = contentDigest(document);
  const { rows } = await tx.query<{ seq: number }>(
    `INSERT INTO mail_messages (org_id, message_id, sender, by_agent, in_reply_to, sent_at, envelope, body, body_preview,
         words, key_scope, key, content_sha256)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING RETURNING seq`,
    [
      sender.org_id,
      document.message_id,
      sender.id,
      sender.kind === 'agent',
      document.in_reply_to,
      document.created_at_utc,
      asJson(envelope),
      body,
      bodyPreview(body),
      searchableWords(document.subject, body),
      idempotencyScope(document),
      typeof key === 'string' ? key : null,
      digest,
    ],
  );
  if (!rows[0]) return { seq: await sameAs(tx, { sender, recipients, document }, digest), duplicate: true };
  const { seq } = rows[0];
  await place(tx, seq, { sender, recipients });
  crashPoint('fleet.mail-stored');
  return { seq, duplicate: false };
}

async function place(
  tx: Sql,
  seq: number,
  { sender, recipients }: Omit<Delivery, 'document'>,
): Promise<void> {
  const having = new Map(recipients.map((mailbox) => [mailbox.id, { mailbox, box: INBOX }]));
  if (!having.has(sender.id)) having.set(sender.id, { mailbox: sender, box: SENT });
  const all = [...having.values()];
  await tx.query(
    `INSERT INTO mail_state (mailbox_id, seq, box, is_read)
       SELECT id, $1, box, box = '${SENT}' FROM unnest($2::bigint[], $3::text[]) AS h (id, box)`,
    [seq, all.map(({ mailbox }) => mailbox.id), all.map(({ box }) => box)],
  );
  await moveOn(
    tx,
    all.map(({ mailbox }) => mailbox),
  );
}

/** Returns the message that was there before, by its key first: that is what a retrying caller repeats. */
async function sameAs(tx: Sql, { sender, document }: Delivery, digest: string): Promise<number> {
  const key = document.headers[IDEMPOTENCY_HEADER];
  const scope = idempotencyScope(document);
  const { rows } = await tx.query<{
    seq: number;
    message_id: string;
    key_scope: string;
    content_sha256: string;
    by_key: boolean;
  }>(
    `SELECT seq, message_id, key_scope, content_sha256, key IS NOT NULL AND key_scope = $3 AND key = $4 AS by_key
       FROM mail_messages WHERE org_id = $1::uuid AND (message_id = $2 OR (key_scope = $3 AND key = $4))
      ORDER BY by_key DESC LIMIT 1`,
    [sender.org_id, document.message_id, scope, typeof key === 'string' ? key : null],
  );
  const found = rows[0];
  if (found && found.key_scope === scope && found.content_sha256 === digest) return found.seq;
  const what = found?.by_key
    ? `idempotency key ${JSON.stringify(key)} was already used for a message with other content`
    : `message id ${document.message_id} was already used for another message`;
  throw conflict(what, {
    hint: 'a retry must repeat the message exactly; use a new key for a new message',
    facts: { idempotency_key: typeof key === 'string' ? key : null },
  });
}
