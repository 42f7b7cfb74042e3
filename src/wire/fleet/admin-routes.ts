import * as z from 'zod';
import { type Route, route } from '../route.ts';
import { newToken, orgBody, orgList, orgView, tokenBody, tokenList, tokenView } from './admin.ts';
import { fleetHealth, fleetReadiness } from './server.ts';

export const ADMIN_ROUTES: readonly Route[] = [
  route({
    id: 'health',
    method: 'GET',
    path: '/health',
    tag: 'server',
    summary: 'Is the process alive? Needs no token',
    response: fleetHealth,
  }),
  route({
    id: 'ready',
    method: 'GET',
    path: '/ready',
    tag: 'server',
    summary:
      'Does its database answer? Needs no token beyond loopback; on loopback it is for the owner and for tokens',
    response: fleetReadiness,
  }),
  route({
    id: 'metrics',
    method: 'GET',
    path: '/metrics',
    tag: 'server',
    summary: 'Counts for Prometheus; for the owner on loopback, else with a token of a server administrator',
    response: z.string(),
    contentType: 'text/plain',
  }),
  route({
    id: 'admin.orgs.create',
    method: 'POST',
    path: '/admin/orgs',
    tag: 'admin',
    summary: 'Make an org; one of that name is answered as it is',
    body: orgBody,
    response: orgView,
  }),
  route({
    id: 'admin.orgs.list',
    method: 'GET',
    path: '/admin/orgs',
    tag: 'admin',
    summary: 'The orgs the token may see',
    response: orgList,
  }),
  route({
    id: 'admin.tokens.create',
    method: 'POST',
    path: '/admin/tokens',
    tag: 'admin',
    summary: 'Make a token; the secret is in this answer and nowhere else',
    body: tokenBody,
    response: newToken,
    errors: { 404: 'There is no such org or agent.' },
  }),
  route({
    id: 'admin.tokens.list',
    method: 'GET',
    path: '/admin/tokens',
    tag: 'admin',
    summary: 'The tokens of the org, without their secrets',
    response: tokenList,
  }),
  route({
    id: 'admin.tokens.revoke',
    method: 'POST',
    path: '/admin/tokens/{token_id}/revoke',
    tag: 'admin',
    summary: 'End a token; doing it twice is harmless',
    response: tokenView,
    errors: { 404: 'There is no such token.' },
  }),
];
