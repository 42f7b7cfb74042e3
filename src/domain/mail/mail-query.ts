import { utcSeconds } from '../../base/index.ts';
import { parseUtcTime } from '../utc-time.ts';
import { ARCHIVE, INBOX } from './mail-box.ts';

/** The words of mail operations, for whoever needs them without their schemas. */
export const READ_STATES = ['any', 'read', 'unread'] as const;
export const ANSWERED_STATES = ['any', 'answered', 'unanswered'] as const;
export const REPLY_POLICIES = ['none', 'operator_mailbox'] as const;

/** What a search is cut at when no limit is given. */
export const SEARCH_LIMIT = 50;

export interface MailPlace {
  box?: string | null | undefined;
  archived?: boolean | null | undefined;
}

/** The box a list is about: archived mail is looked for where it is, unless a box is named. */
export function boxOf({ box, archived }: MailPlace): string {
  return box ?? (archived ? ARCHIVE : INBOX);
}

/** Years of four digits, which are in the order of their texts and which every store knows; no mail is of another. */
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59Z');

/** `since` as the whole seconds messages are stamped with: the first stamp that is not before it. */
export function sinceStamp(since: string): string {
  const at = Math.ceil(parseUtcTime(since)! / 1000) * 1000;
  return utcSeconds(new Date(Math.min(LAST, Math.max(FIRST, at))));
}
