import * as z from 'zod';
import { limitSentence } from '../../domain/index.ts';
import { noFields } from '../fields.ts';
import { ADMIN_PLACES, SERVER_PLACES, SWEEPER_PLACES } from '../places.ts';
import { ourRoutes, routes } from '../route.ts';
import {
  handedOver,
  handOverBody,
  leftMailboxList,
  leftMailboxQuery,
  newToken,
  orgBody,
  orgList,
  orgView,
  tokenBody,
  tokenList,
  tokenListQuery,
  tokenView,
} from './admin.ts';
import { fleetHealth, fleetReadiness } from './server.ts';
import { sweeperList, sweeperRun, sweeperRunQuery } from './sweepers.ts';

export const SERVER_ROUTES = routes(SERVER_PLACES, {
  health: {
    tag: 'server',
    summary: 'Is the process alive? Needs no token',
    access: 'everybody',
    response: fleetHealth,
  },
  ready: {
    ours: true,
    tag: 'server',
    summary:
      'Does its database answer and accept writes? Needs no token beyond loopback; on loopback it is for the owner and for tokens',
    access: 'owner_or_token',
    response: fleetReadiness,
  },
  metrics: {
    ours: true,
    tag: 'server',
    summary: 'Counts for Prometheus; for the owner on loopback, else with a token of a server administrator',
    access: 'owner_or_server_admin',
    response: z.string(),
    contentType: 'text/plain',
  },
  openapi: {
    ours: true,
    tag: 'server',
    summary: 'This document',
    access: 'owner_or_token',
    response: z.record(z.string(), z.unknown()),
    documented: false,
  },
});

export const ADMIN_ROUTES = ourRoutes(ADMIN_PLACES, {
  'admin.orgs.create': {
    tag: 'admin',
    summary: 'Make an org; an existing one of that name is returned unchanged',
    access: 'server_admins',
    body: orgBody,
    response: orgView,
  },
  'admin.orgs.list': {
    tag: 'admin',
    summary: 'The orgs the token may see',
    access: 'admins',
    response: orgList,
  },
  'admin.tokens.create': {
    tag: 'admin',
    summary: 'Make a token; only this response has its secret',
    description: limitSentence('tokensPerOrg'),
    access: 'admins',
    body: tokenBody,
    response: newToken,
    errors: { 404: 'There is no such org or agent.' },
  },
  'admin.tokens.list': {
    tag: 'admin',
    summary: 'The tokens of the org, without their secrets',
    access: 'admins',
    query: tokenListQuery,
    response: tokenList,
  },
  'admin.tokens.revoke': {
    tag: 'admin',
    summary: 'End a token; doing it twice is harmless',
    access: 'admins_of_it',
    ...noFields,
    response: tokenView,
    errors: { 404: 'There is no such token.' },
  },
  'admin.mailboxes.list': {
    tag: 'admin',
    summary: 'Mailboxes of removed agents, with their mail',
    access: 'admins',
    query: leftMailboxQuery,
    response: leftMailboxList,
  },
  'admin.mailboxes.handOver': {
    tag: 'admin',
    summary: 'Give the mail of a removed agent to another agent of the org, or to its people',
    access: 'admins_of_it',
    body: handOverBody,
    response: handedOver,
    errors: { 404: 'There is no such mailbox, or no such agent with a mailbox.' },
  },
  'admin.backup': {
    tag: 'admin',
    summary: 'A backup of the embedded database for "rouse server restore FILE"; for server administrators',
    access: 'server_admins',
    response: z.string(),
    contentType: 'application/gzip',
    errors: { 422: 'The database is a PostgreSQL server, which has its own tools.' },
  },
});

export const SWEEPER_ROUTES = ourRoutes(SWEEPER_PLACES, {
  'admin.sweepers.list': {
    tag: 'admin',
    summary: 'The sweepers, their intervals, and what the last pass found; for server administrators',
    access: 'server_admins',
    response: sweeperList,
  },
  'admin.sweepers.run': {
    tag: 'admin',
    summary: 'One pass now, or a dry run; for server administrators',
    access: 'server_admins',
    query: sweeperRunQuery,
    ...noFields,
    response: sweeperRun,
    errors: { 404: 'There is no such sweeper.' },
  },
});
