import type { MailMessage } from '../domain/index.ts';
import type { MailCounts, MailPage } from './port.ts';

/** Counts these messages. Open means not archived. */
export function countPage(messages: readonly Pick<MailMessage, 'archived' | 'unread'>[]): MailCounts {
  return {
    message_count: messages.length,
    open_count: messages.filter(({ archived }) => !archived).length,
    unread_count: messages.filter(({ unread }) => unread).length,
  };
}

export function pageOf(
  box: string | null,
  { messages, nextCursor }: { messages: MailMessage[]; nextCursor: string | null },
): MailPage {
  return { box, messages, ...countPage(messages), next_cursor: nextCursor, truncated: nextCursor !== null };
}
