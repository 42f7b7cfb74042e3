import { invalid } from '../../base/index.ts';
import type { Sql, SqlValue } from '../../db/index.ts';
import {
  ARCHIVE,
  boxOf,
  INBOX,
  type MailMessage,
  type MailQuery,
  type MailSearch,
  SEARCH_LIMIT,
  sinceStamp,
} from '../../domain/index.ts';
import { type MailCounts, type MailPage, pageOf, searchPhrases } from '../../mail/store-parts.ts';
import { PAGE_BYTES } from '../page-of-bytes.ts';
import type { MailboxRow } from './mailbox-rows.ts';
import { VIEW_COLUMNS, type ViewRow, viewMessage } from './message-view.ts';

/** However many are requested; a list continues at its cursor. Bodies may be large. */
const MAX_PAGE = 500;
const MAX_PAGE_WITH_BODIES = 50;
/** The first message of a page has its body, however long. Later bodies are null once the page is full. */
const BODY_THAT_FITS = `CASE WHEN sum(octet_length(m.body)) OVER (ORDER BY s.seq DESC) - octet_length(m.body)
  < ${PAGE_BYTES} THEN '>' || m.body END AS body`;

const FROM = 'FROM mail_state s JOIN mail_messages m ON m.seq = s.seq';

/** A page costs the same in a mailbox of any size: the index is in list order. */
export async function listMessages(sql: Sql, mailbox: MailboxRow, query: MailQuery): Promise<MailPage> {
  const { where, params } = conditions(mailbox, query);
  return pageOf(boxOf(query), await page(sql, { where, params, query, limit: query.limit ?? undefined }));
}

export async function countMessages(sql: Sql, mailbox: MailboxRow, query: MailQuery): Promise<MailCounts> {
  const { where, params } = conditions(mailbox, query);
  const from = query.since == null ? 'FROM mail_state s' : FROM;
  const { rows } = await sql.query<{ total: number; unread: number }>(
    `SELECT count(*)::int AS total, (count(*) FILTER (WHERE NOT s.is_read))::int AS unread ${from} WHERE ${where}`,
    params,
  );
  const { total, unread } = rows[0]!;
  return {
    message_count: total,
    open_count: boxOf(query) === ARCHIVE ? 0 : total,
    unread_count: unread,
  };
}

export const countInbox = (sql: Sql, mailbox: MailboxRow): Promise<MailCounts> =>
  countMessages(sql, mailbox, { box: INBOX });

/** Every phrase must occur in the words of the subject or body. Searches the mailbox, newest first. */
export async function searchMessages(sql: Sql, mailbox: MailboxRow, search: MailSearch): Promise<MailPage> {
  const { text, box = null, limit } = search;
  readCursor(search.cursor);
  const phrases = searchPhrases(text);
  if (phrases.length === 0) return pageOf(box, { messages: [], nextCursor: null });
  const params: SqlValue[] = [mailbox.id, ...phrases];
  const where = ['s.mailbox_id = $1', ...phrases.map((_, n) => `position($${n + 2} in m.words) > 0`)];
  if (box !== null) where.push(`s.box = $${params.push(box)}`);
  const found = await page(sql, {
    where: where.join(' AND '),
    params,
    query: search,
    limit: limit ?? SEARCH_LIMIT,
  });
  return pageOf(box, found);
}

interface MessageQuery {
  where: string;
  params: SqlValue[];
  query: Pick<MailQuery, 'cursor' | 'include_body'>;
  limit: number | undefined;
}

async function page(
  sql: Sql,
  { where, params, query, limit }: MessageQuery,
): Promise<{ messages: MailMessage[]; nextCursor: string | null }> {
  const max = query.include_body ? MAX_PAGE_WITH_BODIES : MAX_PAGE;
  const size = Math.min(limit ?? max, max);
  const all: SqlValue[] = [...params];
  const before = `s.seq < $${all.push(readCursor(query.cursor))}::bigint`;
  const { rows } = await sql.query<ViewRow>(
    `SELECT ${VIEW_COLUMNS}${query.include_body ? `, ${BODY_THAT_FITS}` : ''} ${FROM}
      WHERE ${where} AND ${before} ORDER BY s.seq DESC LIMIT $${all.push(size + 1)}::int`,
    all,
  );
  const fit = rows.findIndex(({ body }) => body === null);
  const shown = rows.slice(0, fit === -1 ? size : Math.min(fit, size));
  return {
    messages: shown.map(viewMessage),
    nextCursor: rows.length > shown.length ? String(shown.at(-1)!.seq) : null,
  };
}

function conditions(mailbox: MailboxRow, query: MailQuery): { where: string; params: SqlValue[] } {
  const { read_state = 'any', answered_state = 'any', since } = query;
  const params: SqlValue[] = [mailbox.id, boxOf(query)];
  const where = ['s.mailbox_id = $1', 's.box = $2'];
  if (read_state !== 'any') where.push(`s.is_read = ${read_state === 'read'}`);
  if (answered_state !== 'any') where.push(`s.is_answered = ${answered_state === 'answered'}`);
  if (since != null) where.push(`m.sent_at >= $${params.push(sinceStamp(since))}::timestamptz`);
  return { where: where.join(' AND '), params };
}

/** The `seq` at which the previous page ended. */
function readCursor(cursor: string | null | undefined): number {
  if (cursor == null) return Number.MAX_SAFE_INTEGER;
  if (!/^\d{1,15}$/.test(cursor)) throw invalid('cursor must be the next_cursor of an earlier page');
  return Number(cursor);
}
