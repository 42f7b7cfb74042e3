import { utcSeconds } from '../../base/index.ts';
import { parseUtcTime } from '../utc-time.ts';
import { ARCHIVE, INBOX } from './mail-box.ts';

/** The words of mail operations, for code that must not load their schemas. */
export const READ_STATES = ['any', 'read', 'unread'] as const;
export const ANSWERED_STATES = ['any', 'answered', 'unanswered'] as const;
export const REPLY_POLICIES = ['none', 'operator_mailbox'] as const;

/** Max results of a search without a limit. */
export const SEARCH_LIMIT = 50;

export interface MailPlace {
  box?: string | null | undefined;
  archived?: boolean | null | undefined;
}

/** The box that a list is about. Archived mail is looked up in the archive unless a box is named. */
export function boxOf({ box, archived }: MailPlace): string {
  return box ?? (archived ? ARCHIVE : INBOX);
}

/** Years of four digits: they sort as text, and every store supports them. No mail has another year. */
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59Z');

/** `since` as a timestamp in whole seconds, as messages have: the first one that is not before it. */
export function sinceStamp(since: string): string {
  const at = Math.ceil(parseUtcTime(since)! / 1000) * 1000;
  return utcSeconds(new Date(Math.min(LAST, Math.max(FIRST, at))));
}
