import type { Sql } from '../../db/index.ts';
import type { MailStep } from '../../mail/store-parts.ts';
import type { MailboxRow } from './mailbox-rows.ts';

/** Follows replies back to the first message from a person, or to the start of the thread. */
export async function trailOf(
  sql: Sql,
  { org_id }: MailboxRow,
  messageId: string,
  max: number,
): Promise<MailStep[]> {
  const { rows } = await sql.query<{ by_agent: boolean; in_reply_to: string | null; at: string }>(
    `WITH RECURSIVE trail AS (
       SELECT message_id, by_agent, in_reply_to, envelope ->> 'created_at_utc' AS at, 1 AS n
         FROM mail_messages WHERE org_id = $1::uuid AND message_id = $2
       UNION ALL
       SELECT m.message_id, m.by_agent, m.in_reply_to, m.envelope ->> 'created_at_utc', n + 1
         FROM trail t JOIN mail_messages m ON m.org_id = $1::uuid AND m.message_id = t.in_reply_to
        WHERE t.by_agent AND n < $3::int)
     SELECT by_agent, in_reply_to, at FROM trail ORDER BY n`,
    [org_id, messageId, max],
  );
  return rows.flatMap(({ by_agent, in_reply_to, at }): MailStep[] => {
    if (!by_agent) return [{ created_at_utc: at, by: 'person' }];
    return in_reply_to === null ? [] : [{ created_at_utc: at, by: 'agent' }];
  });
}
