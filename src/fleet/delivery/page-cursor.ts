import { invalid } from '../../base/index.ts';

/** Where a page ended. The time is the database's own text: a Date would lose its microseconds. */
export interface PageCursor {
  at: string;
  id: string;
}

const AT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function writeCursor({ at, id }: PageCursor): string {
  return Buffer.from(`${at} ${id}`).toString('base64url');
}

/** `invalid` for anything that writeCursor() did not write. */
export function readCursor(text: string): PageCursor {
  const plain = text.length > 200 ? '' : Buffer.from(text, 'base64url').toString();
  const space = plain.lastIndexOf(' ');
  const cursor = { at: plain.slice(0, Math.max(0, space)), id: plain.slice(space + 1) };
  if (AT.test(cursor.at) && ID.test(cursor.id)) return cursor;
  throw invalid('the page cursor was not issued by this server', {
    hint: 'leave it out for the first page',
  });
}
