import * as z from 'zod';
import { TICKET_KINDS, TICKET_STATUSES } from '../../domain/index.ts';
import { about, count, integer, name, nextPage, oneOf, stamp, strict } from '../fields.ts';
import { allOurs, ours } from '../source/ours.ts';
import { partyType } from './request-bodies.ts';

/** A request as everyone with access sees it. */
export const inboxRequest = name(
  'InboxRequest',
  strict({
    id: z.string(),
    org_id: z.string(),
    kind: oneOf(TICKET_KINDS),
    requester_type: partyType,
    requester_id: z.string(),
    requester_name: ours(about("The agent's name, or the person's.", z.string().nullable())),
    workspace_name: about(
      "The requester's name where it is an agent; null for a person.",
      z.string().nullable(),
    ),
    recipient_type: partyType,
    recipient_id: about('Empty: any person of the org.', z.string()),
    recipient_name: ours(z.string().nullable()),
    title: z.string(),
    detail: z.string().nullable(),
    status: oneOf(TICKET_STATUSES),
    turn: ours(about('Who has to act next while the request is open.', z.enum(['recipient', 'requester']))),
    responder_type: partyType.nullable(),
    responder_id: z.string().nullable(),
    priority: integer.nullable(),
    created_at: stamp,
    updated_at: stamp,
    responded_at: stamp.nullable(),
    last_nudged_at: stamp.nullable(),
    close_reason: ours(
      about(
        '`recipient_removed`: its recipient is gone. Null when a person or agent closed it.',
        z.string().nullable(),
      ),
    ),
  }),
);

export const inboxRequestMessage = name(
  'InboxRequestMessage',
  strict({
    id: z.string(),
    request_id: z.string(),
    author_type: partyType,
    author_id: z.string(),
    author_name: ours(z.string().nullable()),
    body: z.string(),
    closing: ours(about('It was sent with the answer.', z.boolean())),
    created_at: stamp,
  }),
);

export const inboxRequestList = name(
  'InboxRequestList',
  strict({
    requests: z.array(inboxRequest),
    ...allOurs({
      total_open: about('Open requests on all pages.', count),
      ...nextPage,
    }),
  }),
);

export const inboxRequestThread = name(
  'InboxRequestThread',
  strict({
    request: inboxRequest,
    messages: about('The newest page, oldest first.', z.array(inboxRequestMessage)),
    earlier_cursor: ours(
      about('Pass it as `cursor` for earlier messages; null at the beginning.', z.string().nullable()),
    ),
  }),
);

export const requestCreated = name(
  'InboxRequestCreated',
  strict({
    request_id: z.string(),
    status: oneOf(TICKET_STATUSES),
    idempotent_hit: ours(z.boolean()),
  }),
);
export const requestChanged = name(
  'InboxRequestChanged',
  strict({ request_id: z.string(), status: oneOf(TICKET_STATUSES) }),
);
export const requestMessageAdded = name(
  'InboxRequestMessageAdded',
  strict({
    status: z.literal('created'),
    request_id: z.string(),
    message_id: z.string(),
    request_status: ours(oneOf(TICKET_STATUSES)),
  }),
);

/** One change in the stream of `GET /requests/events`. Ids and statuses only. */
export const inboxRequestEvent = name(
  'InboxRequestEvent',
  strict({
    id: count,
    type: z.enum(['REQUEST_CREATED', 'REQUEST_MESSAGE', 'REQUEST_RESPONDED', 'REQUEST_CANCELLED']),
    request_id: z.string(),
    org_id: z.string(),
    kind: oneOf(TICKET_KINDS),
    actor_type: partyType,
    actor_id: z.string(),
    from_status: oneOf(TICKET_STATUSES).nullable(),
    to_status: oneOf(TICKET_STATUSES),
    at: stamp,
    data: z.record(z.string(), z.unknown()).nullable(),
  }),
);

export type InboxRequest = z.infer<typeof inboxRequest>;
export type InboxRequestMessage = z.infer<typeof inboxRequestMessage>;
export type InboxRequestList = z.infer<typeof inboxRequestList>;
export type InboxRequestThread = z.infer<typeof inboxRequestThread>;
export type InboxRequestEvent = z.infer<typeof inboxRequestEvent>;
export type RequestCreated = z.infer<typeof requestCreated>;
export type RequestChanged = z.infer<typeof requestChanged>;
export type RequestMessageAdded = z.infer<typeof requestMessageAdded>;
