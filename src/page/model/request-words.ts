import { TICKET_STATUSES } from '../../domain/tables.ts';
import type { PageRequestRow } from '../../wire/index.ts';

export const statusWords = ({ status, close_reason }: PageRequestRow): string =>
  close_reason === 'recipient_removed' ? 'its recipient is gone' : TICKET_STATUSES[status].words;

export const fromTo = ({
  requester_name,
  requester_id,
  recipient_name,
  recipient_id,
}: PageRequestRow): string =>
  `${requester_name ?? requester_id} → ${recipient_name ?? (recipient_id || 'anyone')}`;
