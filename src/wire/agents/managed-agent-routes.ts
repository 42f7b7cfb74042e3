import * as z from 'zod';
import type { AccessName } from '../access-rules.ts';
import { PEOPLE_ONLY } from '../capabilities.ts';
import { integer, noFields } from '../fields.ts';
import { AGENT_PLACES, carriedPath } from '../places.ts';
import { BODY_ERRORS, type Route, type Row, routes } from '../route.ts';
import { GATEWAY_ROUTES, type GatewayRoutes } from '../routes.ts';
import * as answers from './managed-agent-answers.ts';
import * as states from './managed-agent-state.ts';
import * as views from './managed-agent-views.ts';
import * as bodies from './managed-agents.ts';

const whichAgent = {
  404: 'There is no such agent, or not for this token.',
  409: 'The reference matches several agents; `agent_ids` lists them.',
};
const noGateway = { 503: 'The agent has no live gateway.' };

type AgentRow = Omit<Row, 'tag' | 'summary' | 'access'> & { access?: AccessName };

const agentRow = <R extends AgentRow>(summary: string, row: R) => ({
  tag: 'agents',
  summary,
  ...row,
  access: row.access ?? 'agent_and_its_people',
  errors: { ...whichAgent, ...row.errors },
});

const limit = z.object({ limit: integer.min(1).max(1000).default(100) });
const waiting = { wait_seconds: integer.min(0).max(25).optional() };

export const MANAGED_AGENT_ROUTES = routes(AGENT_PLACES, {
  'agents.server': {
    tag: 'agents',
    summary: 'The server that runs here',
    access: 'owner_or_token',
    response: answers.currentServer,
  },
  'agents.shutdown': {
    tag: 'agents',
    summary: 'Stop the server; its agents keep running',
    access: 'granted',
    ...noFields,
    response: answers.serverShutdown,
  },
  'agents.launch': {
    ours: true,
    tag: 'agents',
    summary: 'Launch a tool in a terminal that the server owns',
    access: 'granted',
    body: bodies.managedLaunchBody,
    response: answers.managedLaunched,
    errors: { 409: 'The name, the id or the session is taken.' },
  },
  'agents.launch.headless': {
    tag: 'agents',
    summary: 'Launch a headless agent whose turns the server runs',
    access: 'granted',
    body: bodies.headlessLaunchBody,
    response: answers.managedLaunched,
    errors: { 409: 'The name, the id or the session is taken.' },
  },
  'agents.register': {
    tag: 'agents',
    summary: 'Register a terminal that was launched for this server',
    access: 'granted',
    body: bodies.registerLaunchBody,
    response: answers.launchRegistered,
    errors: {
      404: 'There is no such session.',
      409: 'Its manifest names another owner, or contradicts the body.',
    },
  },
  'agents.list': {
    tag: 'agents',
    summary: 'The agents of this host',
    access: 'owner_or_token',
    response: states.managedAgentList,
  },
  'agents.get': agentRow('One agent', { response: states.managedAgent }),
  'agents.state': agentRow('What it is doing', { response: states.managedAgentState }),
  'agents.state.detail': agentRow('What it is doing, in full detail', {
    response: states.managedAgentDetail,
  }),
  'agents.history': agentRow('What was observed of it, newest last', {
    query: limit,
    response: states.managedAgentHistory,
  }),
  'agents.requests': agentRow('Send a prompt or an interrupt, by the server or the gateway', {
    body: bodies.agentRequestBody,
    response: answers.agentRequestAnswer,
  }),
  'agents.interrupt': agentRow('Interrupt the current turn', {
    description:
      'To end the turn of one request only, send an interrupt with `turn_of` to `/gateway/requests` of the agent.',
    ...noFields,
    response: answers.agentInterrupted,
  }),
  'agents.stop': agentRow('Stop the agent; a joined session continues', {
    access: 'granted',
    body: bodies.managedStopBody,
    bodyOptional: true,
    response: answers.managedStopped,
  }),
  'agents.relaunch': agentRow('Start its tool again', {
    ours: true,
    access: 'granted',
    body: bodies.managedRelaunchBody,
    response: answers.managedRelaunched,
  }),
  'agents.turns.create': agentRow('Run a turn of a headless agent of this server', {
    body: bodies.turnBody,
    response: bodies.turnAccepted,
  }),
  'agents.turns.list': agentRow('Its turns, newest last', {
    ours: true,
    query: limit,
    response: views.turnList,
  }),
  'agents.turns.get': agentRow('One turn; held until it has changed or ended', {
    query: z.object({ after: integer.min(0).max(1e15).optional(), ...waiting }),
    response: bodies.turnView,
  }),
  'agents.turns.events': agentRow('The events of a turn, in the same form for every tool', {
    query: z.object({
      after: integer.min(0).max(1e9).default(0),
      limit: integer.min(1).max(10_000).default(1000),
    }),
    response: views.turnEvents,
  }),
  'agents.turns.artifact': agentRow('Its `stdout` or `stderr`', {
    contentType: 'text/plain',
    response: z.string(),
    errors: { 422: 'The agent is not headless, or a turn has no such file.' },
  }),
  'agents.internal.prompt': agentRow('For gateways: ask the server to run a turn', {
    body: bodies.internalPromptBody,
    response: bodies.turnHandedOver,
  }),
  'agents.internal.state': agentRow('For gateways: the state, held until it differs from the known one', {
    ours: true,
    query: z.object({ seen: z.string().optional(), ...waiting }),
    response: views.internalHeadlessState,
  }),
  'agents.gateway.status': agentRow('Status of its gateway, also when none is attached', {
    response: views.managedGatewayStatus,
  }),
  'agents.gateway.attach': agentRow('Start a gateway beside it, or change the settings of a running one', {
    access: 'granted',
    body: bodies.managedAttachBody,
    bodyOptional: true,
    response: views.managedAttachAnswer,
    errors: { 503: 'The session is gone, or the gateway did not start.' },
  }),
  'agents.gateway.detach': agentRow('Stop its gateway', {
    access: 'granted',
    ...noFields,
    response: views.managedGatewayStatus,
  }),
  'agents.mail.live': agentRow('Where its mail is served now', {
    response: views.liveMail,
  }),
});

type CarriedId = Exclude<keyof GatewayRoutes, 'health' | 'status' | 'openapi'>;
type Carried = { readonly [K in CarriedId as `agents.gateway.${K}`]: Route & { carries: GatewayRoutes[K] } };

/** The server's own errors come first, then those of the gateway with the same status. */
function carriedErrors(own: Route): Row['errors'] {
  const tooLarge: Row['errors'] = own.method === 'GET' ? {} : { 413: BODY_ERRORS[413]! };
  const ours: Record<number, string> = { ...whichAgent, ...noGateway, ...tooLarge };
  const theirs = Object.entries(own.errors ?? {}).map(([status, words]) => {
    const before = ours[Number(status)];
    return [status, before ? `${before} ${words}` : words];
  });
  return { ...ours, ...Object.fromEntries(theirs) };
}

/** The routes of a gateway at the agent's place on the server; calls are passed through unchanged. */
export const CARRIED_ROUTES = Object.fromEntries(
  Object.values<Route>(GATEWAY_ROUTES)
    .filter(({ path }) => path.startsWith('/v1/') && path !== GATEWAY_ROUTES.status.path)
    .map((own) => {
      const id = `agents.gateway.${own.id}`;
      const carried: Route & { carries: Route } = {
        ...own,
        id,
        path: carriedPath(own.path),
        tag: 'agents: gateways',
        access: own.id in PEOPLE_ONLY ? 'people_of_it' : 'agent_and_its_people',
        errors: carriedErrors(own),
        carries: own,
      };
      return [id, carried];
    }),
) as Carried;
