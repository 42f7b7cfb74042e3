import type { Sqlite } from '../../db/index.ts';
import { searchTerms } from '../search-terms.ts';
import { cutPage } from './list-messages.ts';
import { VIEW_COLUMNS, type ViewRow } from './message-view.ts';
import { readMeta, writeMeta } from './root/meta-rows.ts';

const BATCH = 1000;
const MARK = 'searchable_through';

export interface RowSearch {
  match: string;
  box: string | null;
  limit: number;
  before: number;
  withBody: boolean;
}

export function searchRows(
  db: Sqlite,
  registration: number,
  { match, box, limit, before, withBody }: RowSearch,
): { rows: ViewRow[]; nextCursor: string | null } {
  const body = withBody ? ', b.body' : '';
  const joined = withBody ? 'JOIN message_bodies b ON b.seq = s.seq' : '';
  const rows = db.all<ViewRow>(
    `SELECT ${VIEW_COLUMNS}${body} FROM mail_search f
     JOIN mail_state s ON s.seq = f.rowid AND s.registration = :registration
     JOIN messages m ON m.seq = s.seq ${joined}
     WHERE mail_search MATCH :match AND f.rowid < :before AND s.is_deleted = 0 AND (:box IS NULL OR s.box = :box)
     ORDER BY f.rowid DESC LIMIT :limit`,
    { registration, match, box, before, limit: limit + 1 },
  );
  return cutPage(rows, limit);
}

/** Turns typed text into an FTS5 expression. Each term is quoted, so typed text is never an operator. */
export function matchExpression(typed: string): string | undefined {
  const terms = searchTerms(typed).map(
    ({ text, prefix }) => `"${text.replaceAll('"', ' ')}"${prefix ? '*' : ''}`,
  );
  return terms.length === 0 ? undefined : terms.join(' ');
}

/** Adds one batch of new messages to the full-text index, inside a transaction. Returns true if there may be more. */
export function indexNextBatch(db: Sqlite): boolean {
  const from = Number(readMeta(db, MARK) ?? 0);
  const last = db.get<{ seq: number | null }>(
    'SELECT max(seq) AS seq FROM (SELECT seq FROM messages WHERE seq > ? ORDER BY seq LIMIT ?)',
    [from, BATCH],
  )!.seq;
  if (last === null) return false;
  db.run(
    `INSERT INTO mail_search (rowid, subject, body)
     SELECT m.seq, m.subject, b.body FROM messages m JOIN message_bodies b ON b.seq = m.seq
     WHERE m.seq > ? AND m.seq <= ? ORDER BY m.seq`,
    [from, last],
  );
  writeMeta(db, MARK, String(last));
  return true;
}

/** Whether some message is not yet in the full-text index. */
export function searchIsBehind(db: Sqlite): boolean {
  const last = db.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM messages')!.seq ?? 0;
  return last > Number(readMeta(db, MARK) ?? 0);
}

/** Call after messages were removed: a reused number must be indexed again. */
export function resetSearch(db: Sqlite): void {
  db.run('DELETE FROM mail_search');
  writeMeta(db, MARK, '0');
}
