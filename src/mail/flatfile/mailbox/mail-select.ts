import { invalid } from '../../../base/index.ts';
import {
  boxOf,
  INBOX,
  type MailMessage,
  type MailQuery,
  type MailSearch,
  SEARCH_LIMIT,
  sinceStamp,
} from '../../../domain/index.ts';
import { checkOperation } from '../../schema/index.ts';
import { textMatcher } from '../../search-terms.ts';
import type { FlatFile } from '../flat-file.ts';
import { statusOf } from '../format/envelope.ts';
import type { Listing } from '../list.ts';
import { isAnswered, isRead } from './flag-rules.ts';
import { createdAt, viewMessage } from './message-view.ts';

/** The files of one mailbox, by box. */
export type Boxes = readonly (readonly [string, FlatFile])[];

/** The messages of one box that match the query, from its cursor on. */
export function selectMessages(boxes: Boxes, input: MailQuery, limit?: number): Listing {
  const query = checkOperation('list', input);
  const { read_state, answered_state } = query;
  const box = boxOf(query);
  const file = boxes.find(([name]) => name === box)?.[1];
  if (!file) return { exists: false, entries: [], more: false, damaged: 0 };
  const since = query.since == null ? '' : sinceStamp(query.since);
  return file.list({
    limit,
    after: query.cursor ?? undefined,
    includeBody: query.include_body,
    where: (fields) => {
      const status = statusOf(fields);
      const read = box !== INBOX || isRead(status);
      return (
        (read_state === 'any' || read === (read_state === 'read')) &&
        (answered_state === 'any' || isAnswered(status) === (answered_state === 'answered')) &&
        createdAt(fields) >= since
      );
    },
  });
}

/** Searches by reading the files, because the format has no index. */
export function searchMessages(
  boxes: Boxes,
  input: MailSearch,
): { messages: MailMessage[]; nextCursor: string | null } {
  const { text, box, limit, include_body, cursor } = checkOperation('search', input);
  const from = placeOf(cursor, boxes);
  const holds = textMatcher(text);
  const messages: MailMessage[] = [];
  let room = limit ?? SEARCH_LIMIT;
  let last: string | null = null;
  for (const [at, [name, file]] of boxes.entries()) {
    if (holds === undefined || at < from.at || (box != null && box !== name)) continue;
    const after = at === from.at ? from.ref : undefined;
    // With no room left, one more match is enough to know that there is a next page.
    const { entries, more } = file.list({ holds, after, limit: Math.max(room, 1), includeBody: true });
    if (room === 0 && entries.length > 0) return { messages, nextCursor: last };
    for (const { body, ...head } of entries) {
      messages.push(viewMessage(include_body ? { ...head, body: body ?? '' } : head, name));
      last = `${name}:${head.ref}`;
    }
    if (more) return { messages, nextCursor: last };
    room -= entries.length;
  }
  return { messages, nextCursor: null };
}

/** A search cursor is the box and the last message of the page before. */
function placeOf(cursor: string | null | undefined, boxes: Boxes): { at: number; ref?: string | undefined } {
  if (cursor == null) return { at: 0 };
  const [, name, ref] = /^([a-z]+):(.+)$/s.exec(cursor) ?? [];
  const at = boxes.findIndex(([box]) => box === name);
  if (at === -1) throw invalid('cursor must be the next_cursor of an earlier page');
  return { at, ref };
}
