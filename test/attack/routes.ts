import { type AccessRule, FLEET_ACCESS, GATEWAY_ACCESS, type Outcome } from '../../src/wire/access-rules.ts';
import { FLEET_ROUTES } from '../../src/wire/fleet-routes.ts';
import { fillPath } from '../../src/wire/place.ts';
import type { Route } from '../../src/wire/route.ts';
import { GATEWAY_ROUTES } from '../../src/wire/routes.ts';
import type { Call } from './call.ts';

/** What a thief would send, so that only the door stands in the way. Everything it brings is marked. */
export const MARK = 'STOLEN';

export interface Named {
  agent: string;
  address: string;
  message: string;
  /** Of a workspace without a terminal, a request to it, a message to it, a token of the org. */
  workspace: string;
  request: string;
  queued: string;
  token: string;
  directory: string;
}

const reminder = { mode: 'one_off', title: MARK, prompt: MARK, ranking: 0, start_after_seconds: 1 };
const mail = { subject: MARK, body_content: MARK };

/** Bodies that are good, by route. Routes that are not named take `{}`. */
function gatewayBodies(to: Named): Record<string, unknown> {
  const refs = { message_refs: [to.message] };
  return {
    'requests.create': { kind: 'submit_prompt', payload: { prompt: MARK } },
    'reconciliation.decide': { keep: [], discard: [] },
    'control.prompt': { prompt: MARK, force: true },
    'control.sendKeys': { sequence: `${MARK}<[Enter]>` },
    'tui.notePrompt': { prompt: MARK },
    'headless.nextPromptSession': { mode: 'new' },
    'reminders.create': { reminders: [reminder] },
    'reminders.put': reminder,
    'mail.search': { text: 'a' },
    'mail.peek': { message_ref: to.message },
    'mail.read': { message_ref: to.message },
    'mail.send': { to: [to.address], ...mail },
    'mail.post': mail,
    'mail.reply': { message_ref: to.message, body_content: MARK },
    'mail.mark': { ...refs, read: true },
    'mail.move': { ...refs, destination_box: 'archive' },
    'mail.archive': refs,
    'notifier.enable': { interval_seconds: 60 },
  };
}

function fleetBodies(to: Named): Record<string, unknown> {
  const launch = {
    tool: '/usr/bin/env',
    agent_name: 'thief',
    working_directory: to.directory,
    args: ['sh', '-c', `id > ${to.directory}/${MARK}`],
    mailbox: false,
  };
  const parts = [{ kind: 'text', text: MARK }];
  const carried = Object.entries(gatewayBodies(to)).map(([id, body]) => [`agents.gateway.${id}`, body]);
  return {
    ...Object.fromEntries(carried),
    'agents.launch': launch,
    'agents.launch.headless': launch,
    'agents.register': { session_name: MARK },
    'agents.requests': { request_kind: 'submit_prompt', prompt: MARK },
    'agents.turns.create': { prompt: MARK },
    'agents.internal.prompt': { prompt: MARK, turn_id: MARK, request_id: MARK },
    'registry.register': { agent_id: MARK, name: MARK, session_id: MARK },
    'registry.heartbeat': { session_id: MARK, active_tasks: 0 },
    'registry.deliveries.ack': { session_id: MARK },
    'requests.create': { kind: 'task', recipient_type: 'agent', recipient_id: to.workspace, title: MARK },
    'workspace_requests.create': { kind: 'task', recipient_type: 'user', title: MARK },
    'requests.respond': { action: 'done' },
    'workspace_requests.respond': { action: 'done' },
    'requests.message': { body: MARK },
    'workspace_requests.message': { body: MARK },
    'a2a.enqueue': { params: { message: { parts } } },
    'a2a.rpc': {
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { message: { kind: 'message', role: 'user', messageId: MARK, parts } },
    },
    'admin.orgs.create': { name: MARK },
    'admin.tokens.create': { kind: 'admin', subject: MARK, all_orgs: true },
    mcp: { jsonrpc: '2.0', id: 1, method: 'ping' },
  };
}

export interface Target extends Call {
  id: string;
  server: 'gateway' | 'fleet';
  route: Route;
  /** Of each caller, in the order of the table of access. */
  outcomes: readonly Outcome[];
  changes: boolean;
  /** The contract gives it a body; elsewhere what is sent is not read. */
  takesBody: boolean;
}

type Rules = Readonly<Record<string, AccessRule>>;

function target(route: Route, server: Target['server'], port: number, to: Named, body: unknown): Target {
  const named: Record<string, string> = {
    agent_ref: route.path.startsWith('/registry') ? to.workspace : to.agent,
    workspace_id: to.workspace,
    request_id: to.request,
    queue_id: to.queued,
    token_id: to.token,
    name: 'delivery-upkeep',
  };
  const method = route.method === 'ALL' ? 'POST' : route.method;
  const rules: Rules = server === 'gateway' ? GATEWAY_ACCESS : FLEET_ACCESS;
  return {
    id: route.id,
    server,
    route,
    outcomes: rules[route.access]!.outcomes,
    port,
    method,
    path: fillPath(route.path, (name) => named[name] ?? 'x'),
    changes: method !== 'GET',
    takesBody: route.body !== undefined || route.id === 'mcp',
    ...(/POST|PUT/.test(method) && { body: body ?? {} }),
  };
}

/** Every route of both servers, as it is in `wire/`: a new one is attacked by itself. */
export function targets(ports: { gateway: number; fleet: number }, to: Named): Target[] {
  const [own, fleet] = [gatewayBodies(to), fleetBodies(to)];
  return [
    ...Object.values<Route>(GATEWAY_ROUTES).map((each) =>
      target(each, 'gateway', ports.gateway, to, own[each.id]),
    ),
    ...Object.values<Route>(FLEET_ROUTES).map((each) =>
      target(each, 'fleet', ports.fleet, to, fleet[each.id]),
    ),
  ];
}
