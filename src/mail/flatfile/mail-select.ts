import {
  ARCHIVE,
  INBOX,
  type MailMessage,
  type MailQuery,
  type MailSearch,
  sinceStamp,
} from '../../domain/index.ts';
import { checkMail, mailQuerySchema, mailSearchSchema } from '../schema/index.ts';
import { textMatcher } from '../search-terms.ts';
import { isAnswered, isRead } from './flag-rules.ts';
import type { FlatFile } from './flat-file.ts';
import { statusOf } from './format/envelope.ts';
import type { Listing } from './list.ts';
import { createdAt, viewMessage } from './message-view.ts';

/** The files of one mailbox by the box they are. */
export type Boxes = readonly (readonly [string, FlatFile])[];

/** The messages of one box that fit the query, from its cursor on. */
export function selectMessages(boxes: Boxes, input: MailQuery, limit?: number): Listing {
  const query = checkMail(mailQuerySchema, input, 'list');
  const { box, read_state, answered_state, archived } = query;
  const file = boxes.find(([name]) => name === box)?.[1];
  if (!file || (archived != null && archived !== (box === ARCHIVE))) {
    return { exists: false, entries: [], more: false, damaged: 0 };
  }
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

/** Messages that hold what is asked for, by reading the files: the format has no index. */
export function searchMessages(boxes: Boxes, input: MailSearch): MailMessage[] {
  const { text, box, limit, include_body } = checkMail(mailSearchSchema, input, 'search');
  const holds = textMatcher(text);
  const found: MailMessage[] = [];
  for (const [name, file] of holds === undefined ? [] : boxes) {
    if (box != null && box !== name) continue;
    for (const { body, ...head } of file.list({ holds, limit: limit - found.length, includeBody: true })
      .entries) {
      found.push(viewMessage(include_body ? { ...head, body: body ?? '' } : head, name));
    }
    if (found.length >= limit) break;
  }
  return found;
}
