/**
 * Where every route is: each path is written here and nowhere else. What a route takes, answers and whom it admits stands
 * in its row (routes.ts, fleet/*-routes.ts). This file loads no schemas, so that the client starts fast.
 */
import { type Places, pathOf, under } from './place.ts';

const OPENAPI = { openapi: 'GET /openapi.json' } as const;

export const GATEWAY_PLACES = {
  health: 'GET /health',
  status: 'GET /v1/status',
  'requests.create': 'POST /v1/requests',
  'requests.list': 'GET /v1/requests',
  'requests.get': 'GET /v1/requests/{request_id}',
  'requests.cancel': 'POST /v1/requests/{request_id}/cancel',
  events: 'GET /v1/events',
  'reconciliation.get': 'GET /v1/reconciliation',
  'reconciliation.decide': 'POST /v1/reconciliation',
  'control.prompt': 'POST /v1/control/prompt',
  'control.sendKeys': 'POST /v1/control/send-keys',
  'tui.state': 'GET /v1/control/tui/state',
  'tui.history': 'GET /v1/control/tui/history',
  'tui.notePrompt': 'POST /v1/control/tui/note-prompt',
  'headless.state': 'GET /v1/control/headless/state',
  'headless.nextPromptSession': 'POST /v1/control/headless/next-prompt-session',
  'reminders.create': 'POST /v1/reminders',
  'reminders.list': 'GET /v1/reminders',
  'reminders.get': 'GET /v1/reminders/{reminder_id}',
  'reminders.put': 'PUT /v1/reminders/{reminder_id}',
  'reminders.delete': 'DELETE /v1/reminders/{reminder_id}',
  'mail.status': 'GET /v1/mail/status',
  'mail.list': 'POST /v1/mail/list',
  'mail.check': 'POST /v1/mail/check',
  'mail.search': 'POST /v1/mail/search',
  'mail.peek': 'POST /v1/mail/peek',
  'mail.read': 'POST /v1/mail/read',
  'mail.send': 'POST /v1/mail/send',
  'mail.post': 'POST /v1/mail/post',
  'mail.reply': 'POST /v1/mail/reply',
  'mail.mark': 'POST /v1/mail/mark',
  'mail.move': 'POST /v1/mail/move',
  'mail.archive': 'POST /v1/mail/archive',
  'notifier.status': 'GET /v1/mail-notifier',
  'notifier.enable': 'PUT /v1/mail-notifier',
  'notifier.disable': 'DELETE /v1/mail-notifier',
  'notifier.decisions': 'GET /v1/mail-notifier/decisions',
  ...OPENAPI,
} as const satisfies Places;

export const SERVER_PLACES = {
  health: 'GET /health',
  ready: 'GET /ready',
  metrics: 'GET /metrics',
  ...OPENAPI,
} as const satisfies Places;

export const REGISTRY_PLACES = {
  'registry.register': 'POST /registry/register',
  'registry.heartbeat': 'POST /registry/heartbeat',
  'registry.deliveries.ack': 'POST /registry/deliveries/ack',
  ...under('registry.agents', '/registry/agents', {
    list: 'GET ',
    get: 'GET /{agent_ref}',
    pause: 'POST /{agent_ref}/pause',
    resume: 'POST /{agent_ref}/resume',
    remove: 'POST /{agent_ref}/remove',
  }),
} as const satisfies Places;

const REQUEST_ENDS = {
  create: 'POST ',
  outgoing: 'GET ',
  inbox: 'GET /inbox',
  get: 'GET /{request_id}',
  respond: 'POST /{request_id}/respond',
  message: 'POST /{request_id}/messages',
  cancel: 'POST /{request_id}/cancel',
} as const;

/** The same places stand under two roofs: for whoever the token says, and for one agent. */
export const REQUEST_PLACES = under('requests', '/requests', {
  pending: 'GET /pending',
  events: 'GET /events',
  ...REQUEST_ENDS,
});
export const WORKSPACE_REQUEST_PLACES = under(
  'workspace_requests',
  '/workspaces/{workspace_id}/requests',
  REQUEST_ENDS,
);

export const DELIVERY_PLACES = {
  'a2a.enqueue': 'POST /workspaces/{workspace_id}/a2a',
  'a2a.queue.get': 'GET /workspaces/{workspace_id}/a2a/queue/{queue_id}',
  ...under('admin.a2a-queue', '/admin/a2a-queue', {
    list: 'GET ',
    replay: 'POST /{queue_id}/replay',
    'drop-stale': 'POST /drop-stale',
  }),
} as const satisfies Places;

export const A2A_PLACES = under('a2a', '/a2a/{workspace_id}', {
  card: 'GET /.well-known/agent-card.json',
  rpc: 'POST ',
});

export const ADMIN_PLACES = {
  'admin.orgs.create': 'POST /admin/orgs',
  'admin.orgs.list': 'GET /admin/orgs',
  'admin.tokens.create': 'POST /admin/tokens',
  'admin.tokens.list': 'GET /admin/tokens',
  'admin.tokens.revoke': 'POST /admin/tokens/{token_id}/revoke',
} as const satisfies Places;

export const SWEEPER_PLACES = {
  'admin.sweepers.list': 'GET /admin/sweepers',
  'admin.sweepers.run': 'POST /admin/sweepers/{name}/run',
} as const satisfies Places;

const AGENT = '/houmao/agents/{agent_ref}';

export const AGENT_PLACES = {
  'agents.server': 'GET /houmao/server/current-instance',
  'agents.shutdown': 'POST /houmao/server/shutdown',
  'agents.launch': 'POST /houmao/launches',
  'agents.launch.headless': 'POST /houmao/agents/headless/launches',
  'agents.register': 'POST /houmao/launches/register',
  'agents.list': 'GET /houmao/agents',
  ...under('agents', AGENT, {
    get: 'GET ',
    state: 'GET /state',
    'state.detail': 'GET /state/detail',
    history: 'GET /history',
    requests: 'POST /requests',
    interrupt: 'POST /interrupt',
    stop: 'POST /stop',
    relaunch: 'POST /relaunch',
    'turns.create': 'POST /turns',
    'turns.list': 'GET /turns',
    'turns.get': 'GET /turns/{turn_id}',
    'turns.events': 'GET /turns/{turn_id}/events',
    'turns.artifact': 'GET /turns/{turn_id}/artifacts/{name}',
    'internal.prompt': 'POST /gateway/internal/headless-prompt',
    'internal.state': 'GET /gateway/internal/headless-state',
    'gateway.status': 'GET /gateway',
    'gateway.attach': 'POST /gateway/attach',
    'gateway.detach': 'POST /gateway/detach',
    'mail.live': 'GET /mail/resolve-live',
  }),
} as const satisfies Places;

/**
 * Where the fleet server serves a gateway's path for one agent. Mail stands beside `gateway/`, not below it; the status is
 * the gateway itself; the screen has left `control/`.
 */
export function carriedPath(path: string): string {
  if (path.startsWith('/v1/mail/')) return AGENT + path.slice('/v1'.length);
  if (path === pathOf(GATEWAY_PLACES.status)) return `${AGENT}/gateway`;
  return `${AGENT}/gateway${path.replace(/^\/v1\/control\/tui\//, '/tui/').replace(/^\/v1/, '')}`;
}

/** The way back: the gateway's own path for what is behind `/houmao/agents/{agent_ref}`: `/gateway…` or `/mail/…`. */
export function gatewayPath(rest: string): string {
  if (rest === '/gateway') return pathOf(GATEWAY_PLACES.status);
  if (rest.startsWith('/mail/')) return `/v1${rest}`;
  return `/v1${rest.slice('/gateway'.length).replace(/^\/tui\//, '/control/tui/')}`;
}

/** Below these, whatever is not the server's own is carried to the agent's gateway. */
export const CARRIED_ROOTS = [`${AGENT}/gateway`, `${AGENT}/mail`] as const;

export const MCP_HTTP_PLACES = { mcp: 'ALL /mcp' } as const satisfies Places;

/** Every place of the fleet server's own; what it carries to gateways is at `carriedPath` of theirs. */
export const FLEET_PLACES = {
  ...SERVER_PLACES,
  ...REGISTRY_PLACES,
  ...REQUEST_PLACES,
  ...WORKSPACE_REQUEST_PLACES,
  ...DELIVERY_PLACES,
  ...A2A_PLACES,
  ...ADMIN_PLACES,
  ...SWEEPER_PLACES,
  ...AGENT_PLACES,
  ...MCP_HTTP_PLACES,
} as const satisfies Places;
