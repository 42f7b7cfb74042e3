/**
 * Method and path of every route; each path is written only here. Input, response and access of a route are in its row
 * (routes.ts, fleet/*-routes.ts). This file loads no schemas, so that the client starts fast.
 */
import { type Places, pathOf, under } from './place.ts';

const OPENAPI = { openapi: 'GET /openapi.json' } as const;

/** The Model Context Protocol, on every server that has tools for agents. */
export const MCP_HTTP_PLACES = { mcp: 'ALL /mcp' } as const satisfies Places;

export const GATEWAY_PLACES = {
  health: 'GET /health',
  metrics: 'GET /metrics',
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
  'tui.screen': 'GET /v1/control/tui/screen',
  'tui.notePrompt': 'POST /v1/control/tui/note-prompt',
  'pause.status': 'GET /v1/pause',
  'pause.begin': 'PUT /v1/pause',
  'pause.end': 'DELETE /v1/pause',
  'headless.state': 'GET /v1/control/headless/state',
  'headless.nextPromptSession': 'POST /v1/control/headless/next-prompt-session',
  'reminders.create': 'POST /v1/reminders',
  'reminders.list': 'GET /v1/reminders',
  'reminders.get': 'GET /v1/reminders/{reminder_id}',
  'reminders.put': 'PUT /v1/reminders/{reminder_id}',
  'reminders.delete': 'DELETE /v1/reminders/{reminder_id}',
  'mail.status': 'GET /v1/mail/status',
  'mail.waits': 'GET /v1/mail/waits',
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
  'notifier.resume': 'POST /v1/mail-notifier/resume',
  'notifier.decisions': 'GET /v1/mail-notifier/decisions',
  'notifier.preview': 'GET /v1/mail-notifier/preview',
  ...MCP_HTTP_PLACES,
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
  'registry.calls.answer': 'POST /registry/calls/{call_id}/answer',
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

/** The same routes exist twice: for the token's holder, and for one agent. */
export const REQUEST_PLACES = under('requests', '/requests', {
  pending: 'GET /pending',
  waits: 'GET /waits',
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

/** The mailbox of the token's holder: an agent's own, or that of an org's operator. */
export const MAILBOX_PLACES = under('mailbox', '/mailbox', {
  bind: 'POST /bind',
  unbind: 'POST /unbind',
  status: 'GET /status',
  watch: 'POST /watch',
  list: 'POST /list',
  count: 'POST /count',
  search: 'POST /search',
  peek: 'POST /peek',
  read: 'POST /read',
  trail: 'POST /trail',
  send: 'POST /send',
  post: 'POST /post',
  reply: 'POST /reply',
  mark: 'POST /mark',
  move: 'POST /move',
  archive: 'POST /archive',
  'attachments.put': 'POST /attachments',
  'attachments.get': 'GET /attachments/{message_id}/{attachment_id}',
});

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
  'admin.mailboxes.list': 'GET /admin/mailboxes',
  'admin.mailboxes.handOver': 'POST /admin/mailboxes/{mailbox_id}/hand-over',
  'admin.backup': 'GET /admin/backup',
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
 * The path at which the fleet server serves a gateway's path for one agent. Mail is beside `gateway/`, not below it; the
 * status is `gateway` itself; the screen is not below `control/`.
 */
export function carriedPath(path: string): string {
  if (path.startsWith('/v1/mail/')) return AGENT + path.slice('/v1'.length);
  if (path === pathOf(GATEWAY_PLACES.status)) return `${AGENT}/gateway`;
  return `${AGENT}/gateway${path.replace(/^\/v1\/control\/tui\//, '/tui/').replace(/^\/v1/, '')}`;
}

/** The reverse: the gateway's own path for what follows `/houmao/agents/{agent_ref}`: `/gateway…` or `/mail/…`. */
export function gatewayPath(rest: string): string {
  if (rest === '/gateway') return pathOf(GATEWAY_PLACES.status);
  if (rest.startsWith('/mail/')) return `/v1${rest}`;
  return `/v1${rest.slice('/gateway'.length).replace(/^\/tui\//, '/control/tui/')}`;
}

/** Below these, routes that are not the server's own are carried to the agent's gateway. */
export const CARRIED_ROOTS = [`${AGENT}/gateway`, `${AGENT}/mail`] as const;

/** The root of the page and the path of its cookie. */
export const PAGE_ROOT = '/ui/';

/** The documents of the page; `/` redirects there. */
export const PAGE_SHELL_PLACES = {
  'page.shell.root': 'GET /',
  'page.shell.short': 'GET /ui',
  ...under('page.shell', PAGE_ROOT, {
    home: 'GET ',
    agent: 'GET agents/{name}',
    activity: 'GET activity',
    health: 'GET health',
    day: 'GET day',
    'day.of': 'GET day/{date}',
    mail: 'GET mail',
    requests: 'GET requests',
    reminders: 'GET reminders',
    worker: 'GET service-worker.js',
    asset: 'GET assets/{file}',
  }),
} as const satisfies Places;

const PAGE_AGENT = '/ui/api/agents/{name}';

export const PAGE_PLACES = {
  ...under('page', '/ui/api', {
    'codes.create': 'POST /codes',
    'sessions.list': 'GET /sessions',
    revoke: 'POST /revoke',
    audit: 'GET /audit',
    login: 'POST /session',
    session: 'GET /session',
    logout: 'DELETE /session',
    snapshot: 'GET /snapshot',
    events: 'GET /events',
    lanes: 'GET /lanes',
    health: 'GET /health',
    waits: 'GET /waits',
    day: 'GET /day',
    visit: 'GET /visit',
    'visit.mark': 'POST /visit',
    reminders: 'GET /reminders',
    'reminders.next': 'GET /reminders/next',
    mailboxes: 'GET /mailboxes',
    'mail.list': 'GET /mail',
    'mail.message': 'GET /mail/message',
    'mail.thread': 'GET /mail/thread',
    'mail.attachment': 'GET /mail/attachment',
    'mail.send': 'POST /mail/send',
    'mail.reply': 'POST /mail/reply',
    'mail.receipts': 'GET /mail/receipts',
    'mail.sort': 'POST /mail/sort',
    'mail.restore': 'POST /mail/restore',
    requests: 'GET /requests',
    'request.create': 'POST /requests',
    request: 'GET /requests/{request_id}',
    'request.respond': 'POST /requests/{request_id}/respond',
    'request.message': 'POST /requests/{request_id}/message',
    'request.cancel': 'POST /requests/{request_id}/cancel',
    push: 'GET /push',
    'push.add': 'POST /push/add',
    'push.remove': 'POST /push/remove',
    search: 'GET /search',
    several: 'GET /several',
  }),
  ...under('page.agent', PAGE_AGENT, {
    seen: 'POST /seen',
    timeline: 'GET /timeline',
    ledger: 'GET /ledger/{ref}',
    screen: 'GET /screen',
    queue: 'GET /queue',
    reminders: 'GET /reminders',
    prompt: 'POST /prompt',
    interrupt: 'POST /interrupt',
    pause: 'POST /pause',
    mute: 'POST /mute',
    stop: 'POST /stop',
    relaunch: 'POST /relaunch',
    attach: 'POST /attach',
    dialog: 'POST /dialog',
    cancel: 'POST /queue/{request_id}/cancel',
  }),
  ...under('page', PAGE_AGENT, {
    agent: 'GET ',
    'reminders.create': 'POST /reminders',
    'reminders.edit': 'POST /reminders/{reminder_id}/edit',
    'reminders.order': 'POST /reminders/order',
    'reminders.restore': 'POST /reminders/restore',
    'reminders.pause': 'POST /reminders/{reminder_id}/pause',
    'reminders.delete': 'POST /reminders/{reminder_id}/delete',
  }),
} as const satisfies Places;

/** Whether a path belongs to the page, which checks its own sessions. */
export function isPagePath(path: string): boolean {
  return path === '/' || path === '/ui' || path.startsWith(PAGE_ROOT);
}

/** A document of the page, not its API. */
export function isPageDocument(path: string): boolean {
  return isPagePath(path) && !path.startsWith(`${PAGE_ROOT}api/`);
}

/** Every place of the fleet server itself; routes of gateways are at `carriedPath` of theirs. */
export const FLEET_PLACES = {
  ...SERVER_PLACES,
  ...REGISTRY_PLACES,
  ...REQUEST_PLACES,
  ...WORKSPACE_REQUEST_PLACES,
  ...DELIVERY_PLACES,
  ...MAILBOX_PLACES,
  ...A2A_PLACES,
  ...ADMIN_PLACES,
  ...SWEEPER_PLACES,
  ...AGENT_PLACES,
  ...MCP_HTTP_PLACES,
  ...PAGE_SHELL_PLACES,
  ...PAGE_PLACES,
} as const satisfies Places;
