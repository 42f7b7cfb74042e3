import type * as z from 'zod';
import type { AccessName } from '../access-rules.ts';
import { noFields } from '../fields.ts';
import { prefixed } from '../place.ts';
import { REQUEST_PLACES, WORKSPACE_REQUEST_PLACES } from '../places.ts';
import { type Row, routes } from '../route.ts';
import { waitsView } from '../v1/waits.ts';
import { createRequestBody, requestMessageBody, respondRequestBody } from './request-bodies.ts';
import { chosenOrg, inboxEventsQuery, requestQueries, waitsQuery } from './request-queries.ts';
import {
  inboxRequestEvent,
  inboxRequestList,
  inboxRequestThread,
  requestChanged,
  requestCreated,
  requestMessageAdded,
} from './request-views.ts';

const missing = { 404: 'There is no such request, or it is of another org.' };
const notYours = { 403: 'The request is neither from you nor to you.' };
const closed = { 409: 'The request is closed; `error.facts.request` is how it ended.' };
const filtered = { 400: 'There is no such status.' };

type Access = Record<'create' | 'outgoing' | 'inbox' | 'get' | 'respond' | 'message' | 'cancel', AccessName>;

/** The rows of both kinds of routes: for the token's holder, and for one agent. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of routes
const rows = <A extends z.ZodObject, L extends z.ZodObject, T extends z.ZodObject>(
  whose: string,
  access: Access,
  { any, list, thread, noAgent }: { any: A; list: L; thread: T; noAgent?: Row['errors'] },
) => ({
  create: {
    tag: 'requests',
    summary: `Send a request, as ${whose}`,
    access: access.create,
    query: any,
    body: createRequestBody,
    response: requestCreated,
    status: 201 as const,
    also: { 200: 'The idempotency key was used for the same request before; nothing was added.' },
    statusOf: ({ idempotent_hit }: z.output<typeof requestCreated>) =>
      (idempotent_hit ? 200 : 201) as 200 | 201,
    errors: {
      400: 'The recipient is the requester.',
      404: 'There is no such recipient in the org; `error.hint` names the closest match.',
      409: 'Several agents have that name, or the idempotency key was used for something else.',
    },
  },
  outgoing: {
    tag: 'requests',
    summary: `Requests from ${whose}, newest first`,
    access: access.outgoing,
    query: list,
    response: inboxRequestList,
    errors: { ...filtered, ...noAgent },
  },
  inbox: {
    tag: 'requests',
    summary: `Requests to ${whose}: most urgent first, then oldest`,
    access: access.inbox,
    query: list,
    response: inboxRequestList,
    errors: { ...filtered, ...noAgent },
  },
  get: {
    tag: 'requests',
    summary: 'A request with the newest page of its thread',
    access: access.get,
    query: thread,
    response: inboxRequestThread,
    errors: { ...missing, ...notYours },
  },
  respond: {
    tag: 'requests',
    summary: 'Answer it, with a closing note or without',
    access: access.respond,
    query: any,
    body: respondRequestBody,
    response: requestChanged,
    errors: {
      ...missing,
      ...closed,
      400: 'It is your own request, or its kind has other answers.',
      403: 'Only the recipient may answer.',
    },
  },
  message: {
    tag: 'requests',
    summary: 'Ask the requester for more, or reply as the requester',
    access: access.message,
    query: any,
    body: requestMessageBody,
    response: requestMessageAdded,
    status: 201 as const,
    errors: { ...missing, ...notYours, ...closed },
  },
  cancel: {
    tag: 'requests',
    summary: 'Withdraw it; the recipient is notified',
    access: access.cancel,
    query: any,
    ...noFields,
    response: requestChanged,
    errors: { ...missing, ...closed, 403: 'Only the requester may cancel it.' },
  },
});

const own = requestQueries(chosenOrg);

export const REQUEST_ROUTES = routes(REQUEST_PLACES, {
  'requests.pending': {
    tag: 'requests',
    summary: 'All open requests a person may see, most urgent first',
    access: 'people',
    query: own.list,
    response: inboxRequestList,
    errors: { ...filtered, 404: 'There is no such org.' },
  },
  'requests.waits': {
    ours: true,
    tag: 'requests',
    summary: 'Who waits for whose answer in the org: requests, tasks and mail',
    access: 'people',
    query: waitsQuery,
    response: waitsView,
    errors: { 404: 'There is no such org.' },
  },
  'requests.events': {
    ours: true,
    tag: 'requests',
    summary:
      'Changes as they happen, as server-sent events; `Last-Event-ID` or `after` replays what was missed',
    access: 'token',
    query: inboxEventsQuery,
    response: inboxRequestEvent,
    events: 'only',
  },
  ...prefixed(
    'requests',
    rows(
      'the holder of the token',
      {
        create: 'token',
        outgoing: 'token',
        inbox: 'token',
        get: 'both_parties',
        respond: 'recipient',
        message: 'both_parties',
        cancel: 'requester',
      },
      own,
    ),
  ),
});

export const WORKSPACE_REQUEST_ROUTES = routes(
  WORKSPACE_REQUEST_PLACES,
  prefixed(
    'workspace_requests',
    rows(
      'the agent',
      {
        create: 'workspace',
        outgoing: 'workspace',
        inbox: 'workspace',
        get: 'workspace',
        respond: 'workspace',
        message: 'workspace',
        cancel: 'workspace',
      },
      { ...requestQueries({}), noAgent: { 404: 'There is no such agent, or not for this token.' } },
    ),
  ),
);
