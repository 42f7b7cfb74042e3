import { utcSeconds } from '../../base/index.ts';
import { parseUtcTime } from '../utc-time.ts';

export const READ_STATES = ['any', 'read', 'unread'] as const;
export const ANSWERED_STATES = ['any', 'answered', 'unanswered'] as const;

/** Which messages of one box. Newest first; `cursor` continues where the page before ended. */
export interface MailQuery {
  /** Default inbox. */
  box?: string | undefined;
  read_state?: (typeof READ_STATES)[number] | undefined;
  answered_state?: (typeof ANSWERED_STATES)[number] | undefined;
  /** null: archived or not. */
  archived?: boolean | null | undefined;
  limit?: number | null | undefined;
  /** Inclusive lower bound of created_at_utc. */
  since?: string | null | undefined;
  include_body?: boolean | undefined;
  cursor?: string | null | undefined;
}

/** Full text over subject and body: all words must occur; "quoted words" must follow each other; word* is a prefix. */
export interface MailSearch {
  text: string;
  /** Absent: every box. */
  box?: string | null | undefined;
  limit?: number | undefined;
  include_body?: boolean | undefined;
}

/** `since` as the whole seconds messages are stamped with: the first stamp that is not before it. */
export function sinceStamp(since: string): string {
  return utcSeconds(new Date(Math.ceil(parseUtcTime(since)! / 1000) * 1000));
}
