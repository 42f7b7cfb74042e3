import { limitSentence } from '../domain/index.ts';
import { CARRIED_ROUTES, MANAGED_AGENT_ROUTES } from './agents/managed-agent-routes.ts';
import { ADMIN_ROUTES, SERVER_ROUTES, SWEEPER_ROUTES } from './fleet/admin-routes.ts';
import { A2A_ROUTES, DELIVERY_ROUTES } from './fleet/delivery-routes.ts';
import { MAILBOX_ROUTES } from './fleet/mailbox-routes.ts';
import { REGISTRY_ROUTES } from './fleet/registry-routes.ts';
import { REQUEST_ROUTES, WORKSPACE_REQUEST_ROUTES } from './fleet/request-routes.ts';
import { MCP_ROUTES } from './mcp-routes.ts';
import { PAGE_ROUTES, PAGE_SHELL_ROUTES } from './page/page-routes.ts';

/** Every route of the fleet server, by noun. docs/openapi/fleet.json is generated from this table. */
export const FLEET_ROUTES = {
  ...REGISTRY_ROUTES,
  ...REQUEST_ROUTES,
  ...WORKSPACE_REQUEST_ROUTES,
  ...DELIVERY_ROUTES,
  ...MAILBOX_ROUTES,
  ...A2A_ROUTES,
  ...SERVER_ROUTES,
  ...ADMIN_ROUTES,
  ...SWEEPER_ROUTES,
  ...MANAGED_AGENT_ROUTES,
  ...CARRIED_ROUTES,
  ...MCP_ROUTES,
  ...PAGE_SHELL_ROUTES,
  ...PAGE_ROUTES,
};

export type FleetRoutes = typeof FLEET_ROUTES;

export const FLEET_TAGS: Readonly<Record<string, string>> = {
  server: 'The server itself.',
  registry: 'Agents: registration, heartbeats, status.',
  requests: 'What agents and people ask of each other.',
  mailbox: "Mail that the server keeps: the mailbox of the token's holder.",
  a2a: 'Messages to agents: the queue, and the A2A endpoint of each agent.',
  admin: 'Tenants and tokens.',
  agents: 'The agents of this host: launch, inspect, prompt, stop; turns of headless agents.',
  'agents: gateways': "The routes of an agent's gateway, passed through unchanged.",
};

/** Errors of every route of the fleet server. */
export const FLEET_ERRORS: Readonly<Record<number, string>> = {
  400: 'The request is malformed HTTP, or has no Host.',
  401: 'There is no token, or it is not valid. On loopback the owner needs none, except through a proxy or from a browser.',
  403: 'The token does not allow it, another account of the machine calls, or the Host or Origin header is not that of a local program.',
  429: `Too many requests; \`Retry-After\` says when to come back. ${limitSentence('requestsPerSecond')} ${limitSentence('badTokens')}`,
  500: 'The server failed inside.',
  503: 'The database is unavailable, or the server is starting.',
};
