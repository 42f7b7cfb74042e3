import { invalid } from '../../base/index.ts';
import type { Sqlite, SqliteValue } from '../../db/index.ts';
import { ARCHIVE, type MailQuery, sinceStamp } from '../../domain/index.ts';
import type { MailCounts } from '../port.ts';
import { VIEW_COLUMNS, type ViewRow } from './message-view.ts';

type Checked = MailQuery & Required<Pick<MailQuery, 'read_state' | 'answered_state'>> & { box: string };

/**
 * Costs the same in a box of any size: the SQL index is in list order, unread mail has a separate one, and bodies are
 * in another table. One extra row shows whether there is a next page.
 */
export function listRows(
  db: Sqlite,
  registration: number,
  query: Checked,
): { rows: ViewRow[]; nextCursor: string | null } {
  const { where, params } = conditions(registration, query);
  const body = query.include_body ? ', b.body' : '';
  const joined = query.include_body ? 'JOIN message_bodies b ON b.seq = s.seq' : '';
  const rows = db.all<ViewRow>(
    `SELECT ${VIEW_COLUMNS}${body} FROM mail_state s INDEXED BY ${indexFor(query)}
     JOIN messages m ON m.seq = s.seq ${joined}
     WHERE ${where} AND s.seq < :before ORDER BY s.seq DESC LIMIT :limit`,
    { ...params, before: parseCursor(query.cursor), limit: query.limit == null ? -1 : query.limit + 1 },
  );
  return cutPage(rows, query.limit);
}

/** Expects rows by descending `seq`, with one extra row if there is a next page. */
export function cutPage(
  rows: ViewRow[],
  limit: number | null | undefined,
): { rows: ViewRow[]; nextCursor: string | null } {
  if (limit == null || rows.length <= limit) return { rows, nextCursor: null };
  rows.pop();
  return { rows, nextCursor: String(rows.at(-1)!.seq) };
}

export function countRows(db: Sqlite, registration: number, query: Checked): MailCounts {
  const { where, params } = conditions(registration, query);
  const joined = query.since == null ? '' : 'JOIN messages m ON m.seq = s.seq';
  const { total, unread } = db.get<{ total: number; unread: number }>(
    `SELECT count(*) AS total, count(*) FILTER (WHERE s.is_read = 0) AS unread
     FROM mail_state s INDEXED BY ${indexFor(query)} ${joined} WHERE ${where}`,
    params,
  )!;
  const open = query.box === ARCHIVE ? 0 : total;
  return { message_count: total, open_count: open, unread_count: unread };
}

function indexFor({ read_state: state }: Checked): string {
  return state === 'unread' ? 'mail_unread' : 'mail_by_box';
}

function conditions(
  registration: number,
  query: Checked,
): { where: string; params: Record<string, SqliteValue> } {
  const where = ['s.registration = :registration', 's.box = :box', 's.is_deleted = 0'];
  const params: Record<string, SqliteValue> = { registration, box: query.box };
  if (query.read_state !== 'any') where.push(`s.is_read = ${query.read_state === 'read' ? 1 : 0}`);
  if (query.answered_state !== 'any') {
    where.push(`s.is_answered = ${query.answered_state === 'answered' ? 1 : 0}`);
  }
  if (query.since != null) {
    // The first bound ends the scan early. The second is exact even if the wall clock was set back once.
    where.push('s.seq >= coalesce((SELECT min(seq) FROM messages WHERE created_at_utc >= :since), 9e15)');
    where.push('m.created_at_utc >= :since');
    params['since'] = sinceStamp(query.since);
  }
  return { where: where.join(' AND '), params };
}

/** The last `seq` of the page before. */
export function parseCursor(cursor: string | null | undefined): number {
  if (cursor == null) return Number.MAX_SAFE_INTEGER;
  const seq = /^\d{1,15}$/.test(cursor) ? Number(cursor) : undefined;
  if (seq === undefined) throw invalid('cursor must be the next_cursor of an earlier page');
  return seq;
}
