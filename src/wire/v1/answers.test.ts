import { expect, it } from 'vitest';
import type * as z from 'zod';
import { parseBody } from '../parse-body.ts';
import type { Routes } from '../route.ts';
import { GATEWAY_ROUTES } from '../routes.ts';

const schemaOf = (id: string): z.ZodType => (GATEWAY_ROUTES as Routes)[id]!.response;

const participant = { address: 'gpu@houmao.localhost', principal_id: 'HOUMAO-gpu', display_name: null };
const message = {
  message_ref: 'filesystem:msg-1',
  thread_ref: null,
  created_at_utc: '2026-04-16T12:00:00Z',
  subject: 's',
  read: false,
  unread: true,
  body_preview: 'b',
  sender: participant,
  to: [participant],
  cc: [],
  reply_to: [],
  attachments: [{ attachment_id: 'att-1', kind: 'path_ref', media_type: 'text/plain' }],
};
const mailbox = {
  schema_version: 1,
  transport: 'filesystem',
  principal_id: 'HOUMAO-gpu',
  address: participant.address,
};
const reminder = {
  schema_version: 1,
  reminder_id: 'greminder-0123456789ab',
  mode: 'one_off',
  delivery_kind: 'prompt',
  title: 't',
  prompt: 'p',
  send_keys: null,
  ranking: -1e300,
  paused: false,
  selection_state: 'effective',
  delivery_state: 'scheduled',
  created_at_utc: '2026-04-16T12:00:00Z',
  next_due_at_utc: '9999-12-31T23:59:59.999Z',
  interval_seconds: null,
  last_started_at_utc: null,
  blocked_by_reminder_id: null,
};
const observed = {
  diagnostics: {
    availability: 'available',
    transport_state: 'tmux_up',
    process_state: 'tui_up',
    parse_status: 'parsed',
  },
  surface: { accepting_input: 'yes', editing_input: 'no', ready_posture: 'yes' },
  turn: { phase: 'ready' },
  last_turn: { result: 'none', source: 'none', updated_at_utc: null },
  stability: {
    signature: 'x',
    stable: true,
    stable_for_seconds: 1.5,
    stable_since_utc: '2026-04-16T12:00:00Z',
  },
};
const screen = {
  terminal_id: 't',
  tracked_session: {
    tracked_session_id: 't',
    session_name: 's',
    tool: 'claude',
    tmux_session_name: 's',
    terminal_aliases: [],
  },
  ...observed,
  recent_transitions: [],
};
const notifier = {
  schema_version: 1,
  enabled: false,
  interval_seconds: null,
  mode: 'any_inbox',
  supported: false,
  support_error: 'no mailbox',
  last_poll_at_utc: null,
  last_notification_at_utc: null,
  last_error: null,
};
const headless = {
  schema_version: 1,
  runtime_resumable: true,
  tmux_session_live: true,
  can_accept_prompt_now: true,
  interruptible: false,
  chat_session: { current: null, startup_default: { mode: 'new' }, next_prompt_override: { mode: 'new' } },
  request_admission: 'open',
  active_execution: 'idle',
  queue_depth: 0,
};
const accepted = {
  request_id: 'gwreq-20260416-120000Z-01234567',
  request_kind: 'submit_prompt',
  state: 'accepted',
  accepted_at_utc: '2026-04-16T12:00:00+00:00',
  queue_depth: 1,
  managed_agent_instance_epoch: 1,
};

it.each<[string, object, string]>([
  ['health', { protocol_version: 'v1', status: 'ok' }, 'status'],
  [
    'health',
    { protocol_version: 'v1', status: 'degraded', instance_id: 'i', pid: 1, failing_loops: ['notifier'] },
    'protocol_version',
  ],
  ['requests.create', accepted, 'state'],
  [
    'control.prompt',
    { status: 'ok', action: 'submit_prompt', sent: true, forced: false, detail: 'd' },
    'sent',
  ],
  ['control.sendKeys', { status: 'ok', action: 'control_input', detail: 'd' }, 'action'],
  ['tui.state', screen, 'turn'],
  [
    'tui.history',
    { terminal_id: 't', tracked_session_id: 't', entries: [{ recorded_at_utc: 'x', ...observed }] },
    'entries',
  ],
  ['headless.state', headless, 'chat_session'],
  ['reminders.list', { schema_version: 1, effective_reminder_id: null, reminders: [] }, 'reminders'],
  ['reminders.get', reminder, 'selection_state'],
  [
    'reminders.delete',
    {
      schema_version: 1,
      status: 'ok',
      action: 'delete_reminder',
      reminder_id: 'r',
      deleted: true,
      detail: 'd',
    },
    'deleted',
  ],
  ['mail.status', { ...mailbox, bindings_version: 'v' }, 'transport'],
  [
    'mail.list',
    { ...mailbox, box: 'inbox', message_count: 1, open_count: 1, unread_count: 1, messages: [message] },
    'messages',
  ],
  ['mail.send', { ...mailbox, operation: 'send', message: { ...message, body_text: 'b' } }, 'message'],
  [
    'mail.archive',
    { ...mailbox, operation: 'archive', message_count: 1, messages: [message] },
    'message_count',
  ],
  ['notifier.status', notifier, 'mode'],
])('the response of %s may be %j, and requires %s', (id, answer, field) => {
  const schema = schemaOf(id);
  expect(parseBody(schema, answer)).toEqual(answer);
  const { [field as never]: _, ...rest } = answer as Record<string, unknown>;
  expect(() => parseBody(schema, rest)).toThrow(field);
  expect(() => parseBody(schema, { ...answer, surprise: 1 })).toThrow('surprise is not a known field');
});
