import { FLEET_ACCESS, FLEET_PLACES, GATEWAY_PLACES, type Outcome } from '../../src/wire/access.ts';
import type { Route } from '../../src/wire/route.ts';
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
  changes: boolean;
  /** The contract gives it a body; elsewhere what is sent is not read. */
  takesBody: boolean;
}

type Place = (typeof GATEWAY_PLACES)[number] & Partial<Pick<Route, 'body'>>;

function target(place: Place, server: Target['server'], port: number, to: Named, body: unknown): Target {
  const named: Record<string, string> = {
    agent_ref: place.path.startsWith('/registry') ? to.workspace : to.agent,
    workspace_id: to.workspace,
    request_id: to.request,
    queue_id: to.queued,
    token_id: to.token,
    name: 'delivery-upkeep',
  };
  return {
    id: place.id,
    server,
    port,
    method: place.method,
    path: place.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? 'x'),
    changes: place.method !== 'GET',
    takesBody: place.body !== undefined || place.id === 'mcp',
    ...(/POST|PUT/.test(place.method) && { body: body ?? {} }),
  };
}

/** Every route of both servers, as it is in `wire/`: a new one is attacked by itself. */
export function targets(ports: { gateway: number; fleet: number }, to: Named): Target[] {
  const [own, fleet] = [gatewayBodies(to), fleetBodies(to)];
  return [
    ...GATEWAY_PLACES.map((place) => target(place, 'gateway', ports.gateway, to, own[place.id])),
    ...FLEET_PLACES.map((place) => target(place, 'fleet', ports.fleet, to, fleet[place.id])),
  ];
}

export function fleetOutcomes(id: string): readonly Outcome[] {
  return FLEET_ACCESS.find(({ routes }) => routes.includes(id))!.outcomes;
}
