import * as z from 'zod';
import { TICKET_ANSWERS } from '../../domain/index.ts';
import { about, count, integer, nextPage, strict } from '../fields.ts';
import { inboxRequest, inboxRequestMessage } from '../fleet/request-views.ts';

/** `expired`: withdrawn, or its recipient is gone, so it will not be answered. */
export const REQUEST_VIEWS = ['for_me', 'waiting', 'answered', 'expired'] as const;

const shown = strict({
  ...inboxRequest.shape,
  age_seconds: count,
  nudges: about('Reminders sent to its recipient.', count),
  overdue: about('Still open after the maximum number of reminders.', z.boolean()),
  answers: about(
    'The possible answers; empty when it is closed or not for people.',
    z.array(z.enum(TICKET_ANSWERS)),
  ),
  cancellable: z.boolean(),
});

export const pageRequestsQuery = strict({
  view: z.enum(REQUEST_VIEWS).default('for_me'),
  agent: about('Only requests from or to this agent.', z.string().max(200).optional()),
  cursor: z.string().max(100).optional(),
  limit: integer.min(1).max(200).default(50),
});
export const pageRequestList = strict({
  requests: z.array(shown),
  counts: strict({ for_me: count, waiting: count, answered: count, expired: count }),
  ...nextPage,
});
export const pageRequest = strict({
  request: shown,
  messages: z.array(inboxRequestMessage),
  command: z.string(),
});

export type PageRequestRow = z.infer<typeof shown>;
export type PageRequestList = z.infer<typeof pageRequestList>;
export type PageRequest = z.infer<typeof pageRequest>;
