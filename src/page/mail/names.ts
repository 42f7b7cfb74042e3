import type { PageConversation } from '../../wire/index.ts';

interface Person {
  address: string;
  display_name?: string | null | undefined;
}

/** The server shows the operator under this name. */
const OPERATOR = 'operator';

export const nameOf = ({ address, display_name }: Person): string =>
  display_name === OPERATOR ? 'You' : display_name || address.replace(/@.*$/, '') || address;

/** Who wrote to whom, or who takes part if there is more than one message. */
export function peopleOf({ message, participants, count }: PageConversation): string {
  if (count > 1) return participants.map(nameOf).join(', ');
  return `${nameOf(message.sender)} → ${[...message.to, ...message.cc].map(nameOf).join(', ')}`;
}

/** The first words without the marks of Markdown; the message itself shows what was written. */
export const previewOf = ({ body_preview }: PageConversation['message']): string =>
  (body_preview ?? '')
    .replace(/(^|\s)(#{1,6}|>|[-*]|```\w*)(?=\s)/g, '$1')
    .replace(/\*\*|`/g, '')
    .trim();

const threadOf = ({ message }: PageConversation): string => message.thread_ref ?? message.message_ref;

export const keyOf = (row: PageConversation): string => `${row.mailbox} ${threadOf(row)}`;
