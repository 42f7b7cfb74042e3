import * as z from 'zod';
import { integer } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { ROUTES } from '../routes.ts';
import * as views from './managed-agent-views.ts';
import * as bodies from './managed-agents.ts';

const AGENT = '/houmao/agents/{agent_ref}';

const whichAgent = {
  404: 'There is no such agent, or not for this token.',
  409: 'The reference is that of several agents, which `agent_ids` names.',
};
const noGateway = { 503: 'The agent has no live gateway.' };

interface Row extends Pick<Route, 'body' | 'query' | 'contentType'> {
  response: z.ZodType;
  errors?: Route['errors'];
}

const agentRoute = (id: string, call: `${Route['method']} ${string}`, summary: string, row: Row): Route => {
  const [method, rest = ''] = call.split(' ') as [Route['method'], string];
  const errors = { ...whichAgent, ...row.errors };
  return route({ id: `agents.${id}`, method, path: AGENT + rest, tag: 'agents', summary, ...row, errors });
};

const serverRoute = (row: Parameters<typeof route>[0]): Route => route({ ...row, tag: 'agents' });

const limit = z.object({ limit: integer.optional() });
const waiting = { wait_seconds: integer.min(0).max(25).optional() };

/** Where the server serves a gateway's path for one agent. */
export function pairRoutePath(path: string): string {
  if (path.startsWith('/v1/mail/')) return AGENT + path.slice('/v1'.length);
  if (path === '/v1/status') return `${AGENT}/gateway`;
  return `${AGENT}/gateway${path.replace(/^\/v1\/control\/tui\//, '/tui/').replace(/^\/v1/, '')}`;
}

/** Everything a gateway serves, at the agent's place on the server; carried there unchanged. */
const CARRIED: readonly Route[] = ROUTES.filter(
  ({ path }) => path.startsWith('/v1/') && path !== '/v1/status',
).map((own) => ({
  ...own,
  id: `agents.gateway.${own.id}`,
  path: pairRoutePath(own.path),
  tag: 'agents: gateways',
  errors: { ...own.errors, ...noGateway },
}));

export const MANAGED_AGENT_ROUTES: readonly Route[] = [
  serverRoute({
    id: 'agents.server',
    method: 'GET',
    path: '/houmao/server/current-instance',
    tag: '',
    summary: 'Who serves here',
    response: views.currentServer,
  }),
  serverRoute({
    id: 'agents.shutdown',
    method: 'POST',
    path: '/houmao/server/shutdown',
    tag: '',
    summary: 'Stop the server; its agents run on',
    response: views.serverShutdown,
  }),
  serverRoute({
    id: 'agents.launch',
    method: 'POST',
    path: '/houmao/launches',
    tag: '',
    summary: 'Launch a tool in a terminal that the server owns',
    body: bodies.managedLaunchBody,
    response: views.managedLaunched,
    errors: { 409: 'The name, the id or the session is taken.' },
  }),
  serverRoute({
    id: 'agents.launch.headless',
    method: 'POST',
    path: '/houmao/agents/headless/launches',
    tag: '',
    summary: 'Launch a headless agent whose turns the server runs',
    body: bodies.headlessLaunchBody,
    response: views.managedLaunched,
    errors: { 409: 'The name, the id or the session is taken.' },
  }),
  serverRoute({
    id: 'agents.register',
    method: 'POST',
    path: '/houmao/launches/register',
    tag: '',
    summary: 'Take on a terminal that was launched for this server',
    body: bodies.registerLaunchBody,
    response: views.launchRegistered,
    errors: { 409: 'Its manifest names another owner, or says otherwise than the body.' },
  }),
  serverRoute({
    id: 'agents.list',
    method: 'GET',
    path: '/houmao/agents',
    tag: '',
    summary: 'The agents of this host',
    response: views.managedAgentList,
  }),
  agentRoute('get', 'GET ', 'One agent', { response: views.managedAgent }),
  agentRoute('state', 'GET /state', 'What it is doing', { response: views.managedAgentState }),
  agentRoute('state.detail', 'GET /state/detail', 'The same with everything there is', {
    response: views.managedAgentDetail,
  }),
  agentRoute('history', 'GET /history', 'What was seen of it, newest last', {
    query: limit,
    response: views.managedAgentHistory,
  }),
  agentRoute('requests', 'POST /requests', 'A prompt or an interrupt, by whoever can take it', {
    body: bodies.agentRequestBody,
    response: views.agentRequestAnswer,
  }),
  agentRoute('interrupt', 'POST /interrupt', 'End the turn under way', {
    response: views.agentRequestAnswer,
  }),
  agentRoute('stop', 'POST /stop', 'Stop the agent; one that was joined is left', {
    body: bodies.managedStopBody,
    response: views.managedStopped,
  }),
  agentRoute('relaunch', 'POST /relaunch', 'Start its tool again', {
    body: bodies.managedRelaunchBody,
    response: views.managedRelaunched,
  }),
  agentRoute('turns.create', 'POST /turns', 'Run a turn of a headless agent of this server', {
    body: bodies.turnBody,
    response: bodies.turnView,
  }),
  agentRoute('turns.list', 'GET /turns', 'Its turns, newest last', {
    query: limit,
    response: views.turnList,
  }),
  agentRoute('turns.get', 'GET /turns/{turn_id}', 'One turn; held until it has changed or ended', {
    query: z.object({ after: integer.optional(), ...waiting }),
    response: bodies.turnView,
  }),
  agentRoute(
    'turns.events',
    'GET /turns/{turn_id}/events',
    'What the tool said, in the same words for every tool',
    {
      query: z.object({ after: integer.optional(), limit: integer.optional() }),
      response: views.turnEvents,
    },
  ),
  agentRoute('turns.artifact', 'GET /turns/{turn_id}/artifacts/{name}', 'Its `stdout` or `stderr`', {
    contentType: 'text/plain',
    response: z.string(),
  }),
  agentRoute(
    'internal.prompt',
    'POST /gateway/internal/headless-prompt',
    'For gateways: have the server run a turn',
    {
      body: bodies.internalPromptBody,
      response: bodies.turnView,
    },
  ),
  agentRoute(
    'internal.state',
    'GET /gateway/internal/headless-state',
    'For gateways: the state, held until it differs',
    {
      query: z.object({ seen: z.string().optional(), ...waiting }),
      response: views.internalHeadlessState,
    },
  ),
  agentRoute('gateway.status', 'GET /gateway', 'Status of its gateway; not attached is an answer', {
    response: views.managedGatewayStatus,
  }),
  agentRoute(
    'gateway.attach',
    'POST /gateway/attach',
    'Start a gateway beside it, or give a live one other settings',
    {
      body: bodies.managedAttachBody,
      response: views.managedAttachAnswer,
      errors: { 503: 'The session is gone, or the gateway did not start.' },
    },
  ),
  agentRoute('gateway.detach', 'POST /gateway/detach', 'Stop its gateway', {
    response: views.managedGatewayStatus,
  }),
  agentRoute('mail.live', 'GET /mail/resolve-live', 'Where its mail is served now', {
    response: views.liveMail,
  }),
  ...CARRIED,
];
