import { TICKET_STATUSES } from '../../domain/tables.ts';
import type { PageRequestRow } from '../../wire/index.ts';

export const statusWords = ({ status, close_reason }: PageRequestRow): string =>
  close_reason === 'recipient_removed' ? 'its recipient is gone' : TICKET_STATUSES[status].words;

const requesterOf = ({ requester_name, requester_id }: PageRequestRow): string =>
  requester_name ?? requester_id;

export const recipientOf = ({ recipient_type, recipient_name, recipient_id }: PageRequestRow): string =>
  recipient_name ?? (recipient_id || (recipient_type === 'user' ? 'anyone' : 'an agent'));

export const fromTo = (request: PageRequestRow): string =>
  `${requesterOf(request)} → ${recipientOf(request)}`;

/** Who answered, and how; undefined while it is open. */
export const answeredBy = (request: PageRequestRow): string | undefined => {
  if (request.responded_at === null || request.responder_id === null) return undefined;
  return `${statusWords(request)} by ${request.responder_name ?? request.responder_id}`;
};
