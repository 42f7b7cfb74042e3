import { notFound } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { LeftMailboxList } from '../../wire/index.ts';
import { MAILBOX_COLUMNS, type MailboxRow, operatorMailbox } from './mailbox-rows.ts';
import { moveOn } from './own-messages.ts';

/** A list counts at most this many messages per mailbox. */
const COUNTED = 10_000;

interface ListOptions {
  /** Null: every org. */
  orgId: string | null;
  limit: number;
  after?: string | undefined;
}

/** Lists mailboxes of removed agents that still have mail, by id. */
export async function listLeftMailboxes(
  sql: Sql,
  { orgId, limit, after }: ListOptions,
): Promise<LeftMailboxList> {
  const { rows } = await sql.query<MailboxRow & { retired_at: Date; message_count: number }>(
    `SELECT ${MAILBOX_COLUMNS}, retired_at, (SELECT count(*)::int FROM (SELECT FROM mail_state s
         WHERE s.mailbox_id = m.id LIMIT ${COUNTED}) counted) AS message_count
       FROM mailboxes m WHERE retired_at IS NOT NULL AND ($1::uuid IS NULL OR org_id = $1) AND id > $2::bigint
         AND EXISTS (SELECT FROM mail_state s WHERE s.mailbox_id = m.id)
      ORDER BY id LIMIT $3::int`,
    [orgId, after ?? '0', limit + 1],
  );
  const mailboxes = rows.slice(0, limit).map((row) => ({
    mailbox_id: String(row.id),
    org_id: row.org_id,
    address: row.address,
    display_name: row.display_name,
    message_count: row.message_count,
    retired_at: row.retired_at.toISOString(),
  }));
  const truncated = rows.length > limit;
  return { mailboxes, next_cursor: truncated ? mailboxes.at(-1)!.mailbox_id : null, truncated };
}

export interface HandOver {
  orgId: string | null;
  mailboxId: string;
  /** The workspace whose mailbox gets the mail; undefined: the people of the org. */
  find?: ((tx: Sql, orgId: string) => Promise<{ id: string; name: string }>) | undefined;
}

/** Hands over all of its mail at once; attachments follow their messages. What the receiver already has is dropped. */
export function handOverMailbox(
  sql: Sql,
  { orgId, mailboxId, find }: HandOver,
): Promise<{ address: string; handed_over: number }> {
  return sql.transaction(async (tx) => {
    const { rows } = await tx.query<MailboxRow>(
      `SELECT ${MAILBOX_COLUMNS} FROM mailboxes m WHERE id = $1::bigint AND retired_at IS NOT NULL
          AND ($2::uuid IS NULL OR org_id = $2) AND EXISTS (SELECT FROM mail_state s WHERE s.mailbox_id = m.id) FOR UPDATE`,
      [/^\d{1,18}$/.test(mailboxId) ? mailboxId : '0', orgId],
    );
    const left = rows[0];
    if (!left)
      throw notFound(`there is no mailbox ${JSON.stringify(mailboxId.slice(0, 40))} of a removed agent`);
    const heir = find
      ? await mailboxOf(tx, await find(tx, left.org_id))
      : await operatorMailbox(tx, left.org_id);
    const { rowCount } = await tx.query(
      `INSERT INTO mail_state (mailbox_id, seq, box, is_read, is_answered)
         SELECT $2::bigint, seq, box, is_read, is_answered FROM mail_state WHERE mailbox_id = $1 ON CONFLICT DO NOTHING`,
      [left.id, heir.id],
    );
    await tx.query('DELETE FROM mail_state WHERE mailbox_id = $1', [left.id]);
    await moveOn(tx, [heir]);
    return { address: heir.address, handed_over: rowCount };
  });
}

async function mailboxOf(tx: Sql, { id, name }: { id: string; name: string }): Promise<MailboxRow> {
  const { rows } = await tx.query<MailboxRow>(
    `SELECT ${MAILBOX_COLUMNS} FROM mailboxes WHERE workspace_id = $1::uuid AND active`,
    [id],
  );
  if (rows[0]) return rows[0];
  throw notFound(`agent ${name} has no mailbox on the fleet server`, {
    hint: '"rouse agents mailbox register --mailbox-transport fleet" gives it one',
  });
}
