import { type Route, route } from '../route.ts';
import { createRequestBody, requestMessageBody, respondRequestBody } from './request-bodies.ts';
import {
  inboxEventsQuery,
  inboxListQuery,
  pendingRequestsQuery,
  requestThreadQuery,
} from './request-queries.ts';
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

/** The same routes stand under two roofs: `/requests` for whoever the token says, `/workspaces/{id}/requests` for an agent. */
const underRoof = (roof: string, prefix: string, whose: string): Route[] => [
  route({
    id: `${prefix}.create`,
    method: 'POST',
    path: roof,
    tag: 'requests',
    summary: `Ask somebody, as ${whose}; 200 when the idempotency key was used for the same before`,
    body: createRequestBody,
    response: requestCreated,
    status: 201,
    errors: {
      400: 'Nobody asks themselves.',
      404: 'There is no such recipient in the org; `error.hint` names the nearest.',
      409: 'Several agents have that name, or the idempotency key was used for something else.',
    },
  }),
  route({
    id: `${prefix}.outgoing`,
    method: 'GET',
    path: roof,
    tag: 'requests',
    summary: `What ${whose} asked, newest first`,
    query: inboxListQuery,
    response: inboxRequestList,
    errors: filtered,
  }),
  route({
    id: `${prefix}.inbox`,
    method: 'GET',
    path: `${roof}/inbox`,
    tag: 'requests',
    summary: `What is asked of ${whose}: most urgent first, then oldest`,
    query: inboxListQuery,
    response: inboxRequestList,
    errors: filtered,
  }),
  route({
    id: `${prefix}.get`,
    method: 'GET',
    path: `${roof}/{request_id}`,
    tag: 'requests',
    summary: 'A request with the newest page of its thread',
    query: requestThreadQuery,
    response: inboxRequestThread,
    errors: { ...missing, ...notYours },
  }),
  route({
    id: `${prefix}.respond`,
    method: 'POST',
    path: `${roof}/{request_id}/respond`,
    tag: 'requests',
    summary: 'Answer it, with a closing note or without',
    body: respondRequestBody,
    response: requestChanged,
    errors: {
      ...missing,
      ...closed,
      400: 'It is your own request, or its kind takes other answers.',
      403: 'Only the recipient answers.',
    },
  }),
  route({
    id: `${prefix}.message`,
    method: 'POST',
    path: `${roof}/{request_id}/messages`,
    tag: 'requests',
    summary: 'Ask the requester for more, or reply as the requester',
    body: requestMessageBody,
    response: requestMessageAdded,
    status: 201,
    errors: { ...missing, ...notYours, ...closed },
  }),
  route({
    id: `${prefix}.cancel`,
    method: 'POST',
    path: `${roof}/{request_id}/cancel`,
    tag: 'requests',
    summary: 'Withdraw it; the recipient is told',
    response: requestChanged,
    errors: { ...missing, ...closed, 403: 'Only the requester cancels.' },
  }),
];

export const REQUEST_ROUTES: readonly Route[] = [
  route({
    id: 'requests.pending',
    method: 'GET',
    path: '/requests/pending',
    tag: 'requests',
    summary: 'All open requests a person may see, most urgent first',
    query: pendingRequestsQuery,
    response: inboxRequestList,
    errors: { ...filtered, 404: 'There is no such org.' },
  }),
  route({
    id: 'requests.events',
    method: 'GET',
    path: '/requests/events',
    tag: 'requests',
    summary:
      'Changes as they happen, as server-sent events; `Last-Event-ID` or `after` replays what was missed',
    query: inboxEventsQuery,
    response: inboxRequestEvent,
  }),
  ...underRoof('/requests', 'requests', 'the holder of the token'),
  ...underRoof('/workspaces/{workspace_id}/requests', 'workspace_requests', 'the agent'),
];
