import { limitSentence } from '../../domain/index.ts';
import { noFields } from '../fields.ts';
import { A2A_PLACES, DELIVERY_PLACES } from '../places.ts';
import { ourRoutes, routes } from '../route.ts';
import {
  a2aAgentCard,
  a2aJsonRpc,
  a2aQueued,
  a2aSendBody,
  deadLetterList,
  deadLetterQuery,
  deliveryView,
  dropStaleAnswer,
  dropStaleQuery,
} from './delivery.ts';

const noAgent = { 404: 'There is no such agent, or not for this token.' };

export const DELIVERY_ROUTES = routes(DELIVERY_PLACES, {
  'a2a.enqueue': {
    tag: 'a2a',
    summary: 'Queue a message for an agent of the same org',
    access: 'org',
    body: a2aSendBody,
    response: a2aQueued,
    status: 202,
    errors: { ...noAgent, 409: 'The messageId was used for another text.' },
  },
  'a2a.queue.get': {
    tag: 'a2a',
    summary: 'The state of a message; for its sender, its target and administrators',
    access: 'message_parties',
    response: deliveryView,
    errors: { 404: 'There is no such message here.' },
  },
  'admin.a2a-queue.list': {
    ours: true,
    tag: 'a2a',
    summary: 'Dead letters, newest first; for administrators',
    access: 'admins',
    query: deadLetterQuery,
    response: deadLetterList,
    errors: { 422: 'A query parameter is not allowed.' },
  },
  'admin.a2a-queue.replay': {
    ours: true,
    tag: 'a2a',
    summary: 'Send a dead letter again; for administrators',
    access: 'admins_of_it',
    ...noFields,
    response: deliveryView,
    errors: { 404: 'There is no such message.', 409: 'It is not dead, or its key is in use.' },
  },
  'admin.a2a-queue.drop-stale': {
    tag: 'a2a',
    summary: 'Drop messages that have waited too long; for administrators',
    access: 'admins',
    query: dropStaleQuery,
    ...noFields,
    response: dropStaleAnswer,
    errors: { 422: 'A query parameter is not allowed.' },
  },
});

export const A2A_ROUTES = ourRoutes(A2A_PLACES, {
  'a2a.card': {
    tag: 'a2a',
    summary: "The agent's A2A card, in the shape of the version in `A2A-Version`, else of 0.3",
    access: 'org',
    headers: { 'If-None-Match': 'The `ETag` of the known card.' },
    response: a2aAgentCard,
    also: { 304: 'The card has not changed.' },
    errors: noAgent,
  },
  'a2a.rpc': {
    tag: 'a2a',
    summary: 'The JSON-RPC endpoint of A2A 1.0 and 0.3',
    orSlash: true,
    description: `${limitSentence('followersPerOrg')} ${limitSentence('followers')} Beyond that, a stream is refused and a message is answered at once.`,
    access: 'org',
    body: a2aJsonRpc,
    response: a2aJsonRpc,
    events: 'also',
    also: { 204: 'The call had no `id`, so it gets no response.' },
    errors: noAgent,
  },
});
