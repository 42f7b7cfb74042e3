import type { Sql } from '../../db/index.ts';
import { composeMail, ROUSE_NAME } from '../../domain/index.ts';
import { deliver } from './deliver.ts';
import { MAILBOX_COLUMNS, type MailboxRow, operatorMailbox, principalOf } from './mailbox-rows.ts';

export interface OwnMail {
  orgId: string;
  subject: string;
  body: string;
  /** Mailboxes; the people of the org get it as well. */
  to: readonly number[];
  /** Mail with the same key was sent before: nothing is sent. */
  key: string;
  at: Date;
}

const MAX_SUBJECT = 200;

/** Sends mail of Rouse itself, from the mailbox of the people. Returns whether it is new. */
export async function mailFromRouse(
  sql: Sql,
  { orgId, subject, body, to, key: what, at }: OwnMail,
): Promise<boolean> {
  const key = `rouse:${what}`;
  return sql.transaction(async (tx) => {
    const sender = await operatorMailbox(tx, orgId);
    const scope = `send:${sender.address}`;
    const { rowCount } = await tx.query(
      'SELECT FROM mail_messages WHERE org_id = $1::uuid AND key_scope = $2 AND key = $3',
      [orgId, scope, key],
    );
    if (rowCount > 0) return false;
    const { rows } = await tx.query<MailboxRow>(
      `SELECT ${MAILBOX_COLUMNS} FROM mailboxes WHERE org_id = $1::uuid AND id = ANY($2::bigint[]) AND retired_at IS NULL
        AND id <> $3 ORDER BY id`,
      [orgId, [...to], sender.id],
    );
    const recipients = [...rows, sender];
    const document = composeMail({
      from: { ...principalOf(sender), display_name: ROUSE_NAME },
      to: recipients.map(principalOf),
      cc: [],
      subject: subject.length > MAX_SUBJECT ? `${subject.slice(0, MAX_SUBJECT - 1)}…` : subject,
      body,
      at,
      idempotency_key: key,
    });
    return !(await deliver(tx, { sender, recipients, document })).duplicate;
  });
}
