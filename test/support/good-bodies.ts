import { createHash, randomUUID } from 'node:crypto';

/** The ids used in bodies and paths. */
export interface Named {
  agent: string;
  address: string;
  message: string;
  /** A workspace without a terminal, a request to it, a message to it, a token of the org. */
  workspace: string;
  request: string;
  queued: string;
  token: string;
  directory: string;
  /** A message in the mailbox that the server keeps for the agent; default: `message`. */
  letter?: string;
}

type Bodies = Record<string, Record<string, unknown>>;

/** A valid body for each route of a gateway; routes that are not listed take `{}`. Free text is `text`. */
export function gatewayBodies(to: Named, text: string): Bodies {
  const reminder = { mode: 'one_off', title: text, prompt: text, ranking: 0, start_after_seconds: 60 };
  const mail = { subject: text, body_content: text };
  const refs = { message_refs: [to.message] };
  const quiet = { from: '22:00', to: '07:00', time_zone: 'UTC' };
  return {
    'requests.create': {
      kind: 'submit_prompt',
      payload: { prompt: text },
      priority: 'low',
      expires_at: '2100-01-01T00:00:00Z',
    },
    'requests.cancel': {},
    'reconciliation.decide': { keep: [], discard: [] },
    'control.prompt': { prompt: text, force: true },
    'control.sendKeys': { sequence: `${text}<[Enter]>`, escape_special_keys: false },
    'tui.notePrompt': { prompt: text },
    'headless.nextPromptSession': { mode: 'new' },
    'reminders.create': {
      schema_version: 1,
      reminders: [reminder, { ...reminder, mode: 'repeat', interval_seconds: 5 }],
    },
    'reminders.put': reminder,
    'mail.list': { box: 'inbox', limit: 5, since: '2026-01-01T00:00:00Z' },
    'mail.check': { box: 'inbox' },
    'mail.search': { text: 'a' },
    'mail.peek': { message_ref: to.message },
    'mail.read': { message_ref: to.message },
    'mail.send': { to: [to.address], cc: [], attachments: [], ...mail },
    'mail.post': { reply_policy: 'none', ...mail },
    'mail.reply': { message_ref: to.message, body_content: text, idempotency_key: text },
    'mail.mark': { ...refs, read: true },
    'mail.move': { ...refs, destination_box: 'later' },
    'mail.archive': refs,
    'notifier.enable': { interval_seconds: 60, mode: 'any_inbox', quiet_hours: quiet },
    'notifier.resume': { thread_ref: to.message },
    'pause.begin': { until_utc: '2100-01-01T00:00:00Z' },
    mcp: { jsonrpc: '2.0', id: 1, method: 'ping' },
  };
}

const WITHOUT_FIELDS = [
  'agents.interrupt',
  'agents.gateway.detach',
  'agents.shutdown',
  ...['pause', 'resume', 'remove'].map((change) => `registry.agents.${change}`),
  ...['requests', 'workspace_requests'].map((tickets) => `${tickets}.cancel`),
  ...['replay', 'drop-stale'].map((act) => `admin.a2a-queue.${act}`),
  'admin.tokens.revoke',
  'admin.sweepers.run',
];

/** The same for a fleet server; `tool` is the tool of launches. */
export function fleetBodies(
  to: Named,
  text: string,
  { tool, args }: { tool: string; args: string[] },
): Bodies {
  const launch = { tool, agent_name: 'thief', working_directory: to.directory, args, mailbox: false };
  const parts = [{ kind: 'text', text }];
  const carried = Object.entries(gatewayBodies(to, text)).map(([id, body]) => [`agents.gateway.${id}`, body]);
  return {
    ...Object.fromEntries(carried),
    ...Object.fromEntries(WITHOUT_FIELDS.map((id) => [id, {}])),
    'agents.launch': launch,
    'agents.launch.headless': launch,
    'agents.register': { session_name: text },
    'agents.stop': { kill_session: false },
    'agents.relaunch': {},
    'agents.gateway.attach': {},
    'agents.requests': { request_kind: 'submit_prompt', prompt: text },
    'agents.turns.create': { prompt: text },
    'agents.internal.prompt': { prompt: text, turn_id: text, request_id: text },
    'registry.register': { agent_id: 'fuzzed', name: 'fuzzed', session_id: 'fuzzed' },
    'registry.heartbeat': { session_id: text, active_tasks: 0 },
    'registry.deliveries.ack': { session_id: text },
    'requests.create': { kind: 'task', recipient_type: 'agent', recipient_id: to.workspace, title: text },
    'workspace_requests.create': { kind: 'task', recipient_type: 'user', title: text },
    'requests.respond': { action: 'done' },
    'workspace_requests.respond': { action: 'done' },
    'requests.message': { body: text },
    'workspace_requests.message': { body: text },
    'a2a.enqueue': { params: { message: { parts } } },
    'a2a.rpc': {
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { message: { kind: 'message', role: 'user', messageId: text, parts } },
    },
    ...mailboxBodies(to, text),
    'registry.calls.answer': { status: 200, answer: { said: text } },
    'admin.orgs.create': { name: text },
    'admin.mailboxes.handOver': {},
    'admin.tokens.create': { kind: 'admin', subject: 'fuzzed', all_orgs: true },
    ...pageBodies(to, text),
    mcp: { jsonrpc: '2.0', id: 1, method: 'ping' },
  };
}

/** The same for the caller's own mailbox on the server. */
function mailboxBodies(to: Named, text: string): Bodies {
  const one = { message_ref: to.letter ?? to.message };
  const refs = { message_refs: [one.message_ref] };
  const id = (n: number): string => `msg-20260131T120000Z-${String(n).padStart(32, '0')}`;
  const mail = { subject: text, body_content: text, attachments: [] };
  return {
    'mailbox.bind': { display_name: text, role: 'writer' },
    'mailbox.unbind': { mode: 'deactivate' },
    'mailbox.watch': { version: text, wait_seconds: 0 },
    'mailbox.list': { box: 'inbox', limit: 5, since: '2026-01-01T00:00:00Z' },
    'mailbox.count': { box: 'inbox', read_state: 'unread' },
    'mailbox.search': { text: 'a', limit: 5 },
    'mailbox.peek': one,
    'mailbox.read': { ...one, box: null },
    'mailbox.trail': { ...one, most: 5 },
    'mailbox.send': { message_id: id(1), to: ['HOUMAO-operator@houmao.localhost'], cc: [], ...mail },
    'mailbox.post': { message_id: id(2), reply_policy: 'none', ...mail },
    'mailbox.reply': { message_id: id(3), ...one, body_content: text, idempotency_key: text },
    'mailbox.mark': { ...refs, read: true },
    'mailbox.move': { ...refs, destination_box: 'later' },
    'mailbox.archive': refs,
    'mailbox.attachments.put': {
      sha256: createHash('sha256').update(text).digest('hex'),
      part: 0,
      content_base64: Buffer.from(text).toString('base64'),
    },
  };
}

/** The same for the page; each has its own `action_id`. */
export function pageBodies(to: Named, text: string): Bodies {
  const acting = () => ({ action_id: randomUUID() });
  const reminder = { mode: 'one_off', title: text, prompt: text, ranking: 0, start_after_seconds: 60 };
  const message = { mailbox: to.address, ref: to.message };
  const many = { mailbox: to.address, refs: [to.message] };
  return {
    'page.codes.create': { name: text, role: 'operate' },
    'page.revoke': { name: text },
    'page.login': { code: text },
    'page.agent.seen': acting(),
    'page.visit.mark': acting(),
    'page.agent.prompt': { ...acting(), prompt: text },
    'page.agent.interrupt': acting(),
    'page.agent.dialog': { ...acting(), dialog_hash: text, key: '1' },
    'page.agent.pause': { ...acting(), paused: true },
    'page.agent.mute': { ...acting(), muted: true, state: text },
    'page.agent.stop': { ...acting(), in_turn: true },
    'page.agent.relaunch': { ...acting(), in_turn: true },
    'page.agent.attach': acting(),
    'page.agent.cancel': acting(),
    'page.reminders.create': { ...acting(), reminder },
    'page.reminders.edit': { ...acting(), title: text },
    'page.reminders.order': { ...acting(), order: [text] },
    'page.reminders.restore': { ...acting(), removal: randomUUID() },
    'page.reminders.pause': { ...acting(), paused: true },
    'page.reminders.delete': acting(),
    'page.mail.send': { ...acting(), to: [to.address], subject: text, body: text },
    'page.mail.reply': { ...acting(), ...message, body: text },
    'page.mail.sort': { ...acting(), chosen: [many], read: true },
    'page.mail.restore': { ...acting(), before: [{ ...many, box: 'inbox', read: false }] },
    'page.request.create': { ...acting(), kind: 'task', recipient_type: 'user', title: text },
    'page.push.add': {
      ...acting(),
      endpoint: 'https://fcm.googleapis.com/fcm/send/x',
      p256dh: 'B'.repeat(87),
      auth: 'a'.repeat(22),
      name: text,
    },
    'page.push.remove': { ...acting(), id: 1 },
    'page.request.respond': { ...acting(), action: 'done' },
    'page.request.message': { ...acting(), body: 'Which one?' },
    'page.request.cancel': acting(),
  };
}
