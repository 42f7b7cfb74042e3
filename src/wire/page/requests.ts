import * as z from 'zod';
import { TICKET_ANSWERS } from '../../domain/index.ts';
import { about, count, integer, nextPage, strict } from '../fields.ts';
import { inboxRequest, inboxRequestMessage } from '../fleet/request-views.ts';

/**
 * `for_me`: open, asked of this person by name or of anyone. `waiting`: open, asked of agents. `expired`: withdrawn, or its
 * recipient is gone, so it will not be answered.
 */
export const REQUEST_VIEWS = ['for_me', 'waiting', 'answered', 'expired'] as const;
/** Whom an open request to people asks: this person by name, anyone, or another person by name. */
export const ASKED_PEOPLE = ['me', 'anyone', 'others'] as const;

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
  responder_name: about("The answering agent's name, or the person's.", z.string().nullable()),
  note: about('What was written with the answer, at most 500 characters.', z.string().nullable()),
});

export const pageRequestsQuery = strict({
  view: z.enum(REQUEST_VIEWS).default('for_me'),
  of: about(
    'Of `for_me`: only those that ask them. Default: this person and anyone.',
    z.enum(ASKED_PEOPLE).optional(),
  ),
  agent: about('Only requests from or to this agent.', z.string().max(200).optional()),
  cursor: z.string().max(100).optional(),
  limit: integer.min(1).max(200).default(50),
});
export const pageRequestList = strict({
  requests: z.array(shown),
  counts: strict({
    for_me: count,
    mine: count,
    anyone: count,
    others: count,
    waiting: count,
    answered: count,
    expired: count,
  }),
  ...nextPage,
});
export const pageRequest = strict({
  request: shown,
  messages: z.array(inboxRequestMessage),
  command: z.string(),
});

export type PageRequestRow = z.infer<typeof shown>;
export type PageRequestsView = (typeof REQUEST_VIEWS)[number];
export type PageRequestList = z.infer<typeof pageRequestList>;
export type PageRequest = z.infer<typeof pageRequest>;
