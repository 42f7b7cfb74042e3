import { invalid, notFound } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { limit, limitHint } from '../../domain/index.ts';
import { ATTACHMENT_PART_BYTES, type CarriedAttachment } from '../../wire/index.ts';
import type { Sweep } from '../sweep/index.ts';
import type { MailboxRow } from './mailbox-rows.ts';
import type { Envelope } from './message-view.ts';

/** Unsent uploads may be this many times the size one message carries. */
const UNSENT_MESSAGES = 4;
const UNSENT_DAYS = 1;

const tooMuch = (what: string): Error => invalid(what, { hint: limitHint('attachmentBytes') });

/** Storing the same piece twice is harmless. */
export async function putPart(
  sql: Sql,
  { id }: MailboxRow,
  { sha256, part, content_base64 }: { sha256: string; part: number; content_base64: string },
): Promise<{ sha256: string; part: number }> {
  const max = UNSENT_MESSAGES * limit('attachmentBytes');
  if (part * ATTACHMENT_PART_BYTES >= limit('attachmentBytes'))
    throw tooMuch(`a message carries at most ${limit('attachmentBytes')} bytes of attachments`);
  await sql.transaction(async (tx) => {
    await tx.query('SELECT 1 FROM mailboxes WHERE id = $1 FOR NO KEY UPDATE', [id]);
    const { rows } = await tx.query<{ unsent: number }>(
      `SELECT coalesce(sum(octet_length(bytes)), 0)::bigint AS unsent FROM mail_parts
        WHERE mailbox_id = $1 AND sent_at IS NULL AND (sha256, part) <> ($2, $3::int)`,
      [id, sha256, part],
    );
    const bytes = Buffer.from(content_base64, 'base64');
    if (rows[0]!.unsent + bytes.length > max)
      throw tooMuch(`more than ${max} bytes of uploaded attachments have not been sent yet`);
    await tx.query(
      `INSERT INTO mail_parts (mailbox_id, sha256, part, bytes) VALUES ($1, $2, $3, $4)
         ON CONFLICT (mailbox_id, sha256, part) DO UPDATE SET put_at = now()`,
      [id, sha256, part, bytes],
    );
  });
  return { sha256, part };
}

/**
 * Runs in the transaction of the message that carries them: checks that all their bytes are here, and keeps them from
 * now on.
 */
export async function takeParts(
  tx: Sql,
  { id }: MailboxRow,
  attachments: readonly CarriedAttachment[],
): Promise<void> {
  if (attachments.length === 0) return;
  const total = attachments.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  if (total > limit('attachmentBytes')) {
    throw tooMuch(
      `the attachments have ${total} bytes; a message carries at most ${limit('attachmentBytes')}`,
    );
  }
  const { rows } = await tx.query<{ sha256: string; size: number }>(
    `WITH kept AS (UPDATE mail_parts SET sent_at = coalesce(sent_at, now())
         WHERE mailbox_id = $1 AND sha256 = ANY($2::text[]) RETURNING sha256, octet_length(bytes) AS size)
       SELECT sha256, sum(size)::bigint AS size FROM kept GROUP BY sha256`,
    [id, attachments.map(({ sha256 }) => sha256)],
  );
  const sizes = new Map(rows.map(({ sha256, size }) => [sha256, size]));
  const missing = attachments.find(({ sha256, size_bytes }) => (sizes.get(sha256) ?? 0) !== size_bytes);
  if (missing) {
    throw invalid(
      `attachment ${missing.attachment_id}: not all of its ${missing.size_bytes} bytes were uploaded`,
      {
        hint: 'upload every piece before you send the message',
        facts: { cause: 'attachment_missing' },
      },
    );
  }
}

/** Returns a piece of a file that came with a message of this mailbox. */
export async function getPart(
  sql: Sql,
  mailbox: MailboxRow,
  wanted: { message_id: string; attachment_id: string; part: number },
): Promise<{ part: number; parts: number; content_base64: string }> {
  const { rows } = await sql.query<{ envelope: Envelope; sender: number }>(
    `SELECT m.envelope, m.sender FROM mail_state s JOIN mail_messages m ON m.seq = s.seq
      WHERE s.mailbox_id = $1 AND m.org_id = $2::uuid AND m.message_id = $3`,
    [mailbox.id, mailbox.org_id, wanted.message_id],
  );
  const found = rows[0]?.envelope.attachments.find(
    ({ attachment_id }) => attachment_id === wanted.attachment_id,
  );
  const { rows: pieces } = await sql.query<{ bytes: Uint8Array }>(
    'SELECT bytes FROM mail_parts WHERE mailbox_id = ANY($1::bigint[]) AND sha256 = $2 AND part = $3::int LIMIT 1',
    [[rows[0]?.sender ?? 0, mailbox.id], found?.sha256 ?? '', wanted.part],
  );
  if (!found || !pieces[0]) {
    throw notFound(
      `no piece ${wanted.part} of attachment ${wanted.attachment_id} in mailbox ${mailbox.address}`,
    );
  }
  return {
    part: wanted.part,
    parts: Math.max(1, Math.ceil((found.size_bytes ?? 0) / ATTACHMENT_PART_BYTES)),
    content_base64: Buffer.from(pieces[0].bytes).toString('base64'),
  };
}

const STALE = `sent_at IS NULL AND put_at < now() - interval '${UNSENT_DAYS} days'`;

/** Removes bytes that no message followed: the sender died or changed its mind. */
export function partsSweep(): Sweep {
  return {
    name: 'mail-parts',
    summary: 'Deletes uploaded attachments that were never sent',
    intervalMs: 3_600_000,
    mayHaveWork: async (sql) =>
      (await sql.query(`SELECT 1 FROM mail_parts WHERE ${STALE} LIMIT 1`)).rows.length > 0,
    run: async ({ sql, dryRun }) => {
      const { rowCount } = await sql.query(
        dryRun ? `SELECT 1 FROM mail_parts WHERE ${STALE}` : `DELETE FROM mail_parts WHERE ${STALE}`,
      );
      return { deleted: rowCount };
    },
  };
}
