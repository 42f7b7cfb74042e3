import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { isRouseError } from '../../base/index.ts';
import { parseBody } from '../parse-body.ts';
import type { Route, Routes } from '../route.ts';
import { GATEWAY_ROUTES } from '../routes.ts';

const schemaOf = (id: string): z.ZodType => (GATEWAY_ROUTES as Routes)[id]!.body!;
const prompt = { prompt: 'Review the inbox now.' };
const oneOff = { mode: 'one_off', title: 'Check inbox', ...prompt, ranking: 0, start_after_seconds: 300 };
const repeat = { ...oneOff, mode: 'repeat', interval_seconds: 300 };
const keysOnly = { sequence: '<[Escape]>', ensure_enter: false };
const { prompt: _, ...untold } = oneOff;
const { start_after_seconds: __, ...untimed } = oneOff;

/** The smallest body each route takes, and whether it knows schema_version. */
const SMALLEST: Record<string, { body: Record<string, unknown>; versioned: boolean }> = {
  'requests.create': { body: { kind: 'submit_prompt', payload: prompt }, versioned: true },
  'requests.cancel': { body: {}, versioned: true },
  'control.prompt': { body: prompt, versioned: true },
  'control.sendKeys': { body: { sequence: '<[Escape]>' }, versioned: false },
  'tui.notePrompt': { body: prompt, versioned: false },
  'headless.nextPromptSession': { body: { mode: 'new' }, versioned: true },
  'reminders.create': { body: { reminders: [oneOff] }, versioned: true },
  'reminders.put': { body: oneOff, versioned: true },
  'mail.list': { body: {}, versioned: true },
  'mail.check': { body: {}, versioned: true },
  'mail.search': { body: { text: 'build' }, versioned: true },
  'mail.peek': { body: { message_ref: 'filesystem:m' }, versioned: true },
  'mail.read': { body: { message_ref: 'filesystem:m' }, versioned: true },
  'mail.send': { body: { to: ['a@houmao.localhost'], subject: 's', body_content: '' }, versioned: true },
  'mail.post': { body: { subject: 's', body_content: 'b' }, versioned: true },
  'mail.reply': { body: { message_ref: 'm', body_content: 'b' }, versioned: true },
  'mail.mark': { body: { message_refs: ['m'], read: true }, versioned: true },
  'mail.move': { body: { message_refs: ['m'], destination_box: 'later' }, versioned: true },
  'mail.archive': { body: { message_refs: ['m'] }, versioned: true },
  'reconciliation.decide': { body: {}, versioned: true },
  'notifier.enable': { body: { interval_seconds: 60 }, versioned: true },
  'notifier.resume': { body: { thread_ref: 'filesystem:m' }, versioned: true },
  'pause.begin': { body: {}, versioned: true },
};

it('every route with a body has its smallest body in this test', () => {
  expect(Object.keys(SMALLEST).sort()).toEqual(
    Object.values<Route>(GATEWAY_ROUTES)
      .filter((route) => route.body)
      .map((route) => route.id)
      .sort(),
  );
});

describe.each(Object.entries(SMALLEST))('%s', (id, { body, versioned }) => {
  const schema = schemaOf(id);
  const refused = (value: unknown, message: string | RegExp): void =>
    expect(() => parseBody(schema, value)).toThrow(message);

  it('each route accepts its smallest body', () => {
    expect(parseBody(schema, body)).toMatchObject(body);
  });

  it('each route refuses an unknown field and names the known ones', () => {
    refused({ ...body, surprise: 1 }, /^surprise is not a known field; known fields are \w+/);
  });

  it.each(Object.keys(body).filter((field) => field !== 'read'))(
    'requires %s and checks what it is',
    (field) => {
      const { [field]: ___, ...rest } = body;
      refused(rest, new RegExp(`^(${field} is required|${field}: set exactly one)`));
      refused({ ...body, [field]: { not: 'this' } }, field);
      refused({ ...body, [field]: true }, field);
    },
  );

  it(versioned ? 'refuses another schema_version' : 'has no schema_version', () => {
    refused({ ...body, schema_version: 99 }, 'schema_version');
    refused({ ...body, schema_version: '1' }, 'schema_version');
    if (versioned) expect(() => parseBody(schema, { ...body, schema_version: 1 })).not.toThrow();
    else refused({ ...body, schema_version: 1 }, 'schema_version is not a known field');
  });

  it.each([[null], [[]], ['text'], [7], [undefined]])('each route refuses the body %j', (value) => {
    refused(value, /body (must be an object|is required)|kind is required/);
  });
});

const rows: [id: string, body: unknown, message: string | null][] = [
  ['requests.create', { kind: 'interrupt', payload: {} }, null],
  ['requests.create', { kind: 'interrupt' }, 'payload is required'],
  [
    'requests.create',
    { kind: 'interrupt', payload: { prompt: 'x' } },
    'payload.prompt is not a known field; known fields are turn_of',
  ],
  [
    'requests.create',
    { kind: 'mail_notifier_prompt', payload: {} },
    'kind must be one of "submit_prompt", "interrupt"',
  ],
  ['requests.create', { payload: {} }, 'kind is required and must be one of "submit_prompt", "interrupt"'],
  [
    'requests.create',
    { kind: 'submit_prompt', payload: { prompt: ' \n\t' } },
    'payload.prompt must not be empty',
  ],
  [
    'requests.create',
    { kind: 'submit_prompt', payload: { prompt: 'a\u0000' } },
    'payload.prompt must not contain U+0000',
  ],
  [
    'requests.create',
    { kind: 'submit_prompt', payload: { ...prompt, turn_id: ' ' } },
    'payload.turn_id must not be empty',
  ],
  [
    'requests.create',
    { kind: 'submit_prompt', payload: { ...prompt, turn_id: null, chat_session: null } },
    null,
  ],
  [
    'requests.create',
    {
      kind: 'submit_prompt',
      payload: prompt,
      idempotency_key: 'k',
      expires_at: '2026-01-01',
      priority: 'high',
    },
    null,
  ],
  [
    'requests.create',
    { kind: 'submit_prompt', payload: prompt, idempotency_key: 'x'.repeat(201) },
    'idempotency_key must have at most 200 characters',
  ],
  [
    'requests.create',
    { kind: 'submit_prompt', payload: prompt, idempotency_key: 'a\nb' },
    'idempotency_key must be one line',
  ],
  [
    'requests.create',
    { kind: 'submit_prompt', payload: prompt, expires_at: 'later' },
    'expires_at must be an ISO-8601 time',
  ],
  [
    'requests.create',
    { kind: 'submit_prompt', payload: prompt, priority: 1 },
    'priority must be one of "high", "normal", "low"',
  ],
  ['control.prompt', { ...prompt, force: true }, null],
  ['control.prompt', { ...prompt, schema_version: 2, admission_policy: 'always' }, null],
  [
    'control.prompt',
    { ...prompt, force: true, admission_policy: 'always' },
    'set at most one of force or admission_policy',
  ],
  ['control.prompt', { ...prompt, schema_version: 2, force: false }, 'force is of schema_version 1'],
  [
    'control.prompt',
    { ...prompt, schema_version: 1, admission_policy: 'always' },
    'admission_policy is of schema_version 2',
  ],
  ['control.prompt', { ...prompt, schema_version: 3 }, 'schema_version must be one of 1, 2'],
  [
    'control.prompt',
    { ...prompt, admission_policy: 'ready-only' },
    'admission_policy must be one of "ready_only", "if_no_pending", "always"',
  ],
  ['control.prompt', { ...prompt, force: 'yes' }, 'force must be true or false'],
  ['control.prompt', { ...prompt, chat_session: { mode: 'exact', id: 's' } }, null],
  [
    'control.prompt',
    { ...prompt, chat_session: { mode: 'exact' } },
    'chat_session.id is required when mode is "exact"',
  ],
  [
    'control.prompt',
    { ...prompt, chat_session: { mode: 'new', id: 's' } },
    'chat_session.id must be absent unless mode is "exact"',
  ],
  [
    'control.prompt',
    { ...prompt, chat_session: { mode: 'old' } },
    'chat_session.mode must be one of "auto", "new", "current", "tool_last_or_new", "exact"',
  ],
  ['control.prompt', { ...prompt, execution: { model: { name: ' opus ' } } }, null],
  ['control.prompt', { ...prompt, execution: { model: { reasoning: { level: 0 } } } }, null],
  [
    'control.prompt',
    { ...prompt, execution: { model: {} } },
    'execution.model: set at least one of name or reasoning',
  ],
  ['control.prompt', { ...prompt, execution: {} }, 'execution.model is required'],
  [
    'control.prompt',
    { ...prompt, execution: { model: { reasoning: { level: -1 } } } },
    'execution.model.reasoning.level must be >= 0',
  ],
  [
    'control.prompt',
    { ...prompt, execution: { model: { reasoning: { level: 1.5 } } } },
    'execution.model.reasoning.level must be an integer',
  ],
  ['control.sendKeys', { sequence: '   ' }, 'sequence must not be empty'],
  ['control.sendKeys', { sequence: '' }, 'sequence must not be empty'],
  ['control.sendKeys', { sequence: '<[escape]>' }, 'sequence holds the unknown key token "<[escape]>"'],
  ['control.sendKeys', { sequence: '<[escape]>', escape_special_keys: true }, null],
  [
    'control.sendKeys',
    { sequence: 'x', escape_special_keys: 'no' },
    'escape_special_keys must be true or false',
  ],
  ['headless.nextPromptSession', { mode: 'current' }, 'mode must be "new"'],
  ['reminders.create', { reminders: [] }, 'reminders must not be empty'],
  ['reminders.create', { reminders: [repeat, { ...untold, send_keys: keysOnly }] }, null],
  [
    'reminders.create',
    { reminders: [oneOff, untold] },
    'reminders[1].prompt: set exactly one of prompt or send_keys',
  ],
  [
    'reminders.create',
    { reminders: [{ ...oneOff, send_keys: keysOnly }] },
    'exactly one of prompt or send_keys',
  ],
  ['reminders.create', { reminders: [{ ...oneOff, prompt: null, send_keys: keysOnly }] }, null],
  ['reminders.create', { reminders: [untimed] }, 'exactly one of start_after_seconds or deliver_at_utc'],
  [
    'reminders.create',
    { reminders: [{ ...oneOff, deliver_at_utc: '2026-01-01T00:00:00Z' }] },
    'exactly one of start_after_seconds or deliver_at_utc',
  ],
  ['reminders.create', { reminders: [{ ...untimed, deliver_at_utc: '2001-01-01 00:00' }] }, null],
  [
    'reminders.create',
    { reminders: [{ ...untimed, deliver_at_utc: 'tomorrow' }] },
    'reminders[0].deliver_at_utc must be an ISO-8601 time',
  ],
  [
    'reminders.create',
    { reminders: [{ ...oneOff, mode: 'repeat' }] },
    'repeat reminders require interval_seconds',
  ],
  [
    'reminders.create',
    { reminders: [{ ...repeat, mode: 'one_off' }] },
    'one_off reminders must not include interval_seconds',
  ],
  ['reminders.create', { reminders: [{ ...oneOff, title: ' ' }] }, 'reminders[0].title must not be empty'],
  ['reminders.create', { reminders: [{ ...oneOff, prompt: '' }] }, 'reminders[0].prompt must not be empty'],
  [
    'reminders.create',
    { reminders: [{ ...oneOff, start_after_seconds: 0 }] },
    'reminders[0].start_after_seconds must be > 0',
  ],
  ['reminders.create', { reminders: [{ ...oneOff, start_after_seconds: -1 }] }, 'must be > 0'],
  [
    'reminders.create',
    { reminders: [{ ...oneOff, start_after_seconds: Number.POSITIVE_INFINITY }] },
    'must be finite',
  ],
  [
    'reminders.create',
    { reminders: [{ ...oneOff, start_after_seconds: true }] },
    'reminders[0].start_after_seconds must be a number',
  ],
  ['reminders.create', { reminders: [{ ...oneOff, start_after_seconds: 1e300 }] }, null],
  ['reminders.create', { reminders: [{ ...oneOff, start_after_seconds: 5e-324 }] }, null],
  ['reminders.create', { reminders: [{ ...repeat, interval_seconds: 1e-9 }] }, null],
  [
    'reminders.create',
    { reminders: [{ ...repeat, interval_seconds: '60' }] },
    'reminders[0].interval_seconds must be a number',
  ],
  ['reminders.create', { reminders: [{ ...oneOff, ranking: -(2 ** 53) + 1 }] }, null],
  ['reminders.create', { reminders: [{ ...oneOff, ranking: -1e300 }] }, 'must lie between -9007199254740991'],
  [
    'reminders.create',
    { reminders: [{ ...oneOff, ranking: 2 ** 53 }] },
    'must lie between -9007199254740991',
  ],
  [
    'reminders.create',
    { reminders: [{ ...oneOff, ranking: 0.5 }] },
    'reminders[0].ranking must be an integer',
  ],
  ['reminders.create', { reminders: [{ ...oneOff, ranking: '0' }] }, 'reminders[0].ranking must be a number'],
  ['reminders.create', { reminders: [{ ...oneOff, ranking: Number.NEGATIVE_INFINITY }] }, 'must be finite'],
  [
    'reminders.create',
    { reminders: [{ ...oneOff, paused: null }] },
    'reminders[0].paused must be true or false',
  ],
  [
    'reminders.create',
    { reminders: [{ ...untold, send_keys: { ...keysOnly, escape_special_keys: true } }] },
    'send_keys.escape_special_keys is not a known field',
  ],
  [
    'reminders.create',
    { reminders: [{ ...untold, send_keys: { sequence: '<[Foo]>' } }] },
    'reminders[0].send_keys.sequence holds the unknown key token "<[Foo]>"',
  ],
  [
    'reminders.create',
    { reminders: [{ ...untold, send_keys: { sequence: ' ' } }] },
    'reminders[0].send_keys.sequence must not be empty',
  ],
  ['reminders.put', { ...oneOff, reminder_id: 'x' }, 'reminder_id is not a known field'],
  ['mail.list', { box: '../x' }, 'box must not contain / or \\'],
  ['mail.list', { box: '  ' }, 'box must not be blank'],
  ['mail.list', { read_state: 'all' }, 'read_state must be one of "any", "read", "unread"'],
  ['mail.list', { answered_state: 'no' }, 'answered_state must be one of "any", "answered", "unanswered"'],
  ['mail.list', { limit: 0 }, 'limit must be > 0'],
  ['mail.list', { limit: 10.5 }, 'limit must be an integer'],
  ['mail.list', { since: 'yesterday' }, 'since must be an ISO-8601 time'],
  ['mail.list', { archived: 'no' }, 'archived must be true or false'],
  ['mail.list', { box: ' inbox ', archived: null, limit: null, since: null, include_body: true }, null],
  ['mail.peek', { message_ref: '  ' }, 'message_ref must not be empty'],
  ['mail.send', { to: [], subject: 's', body_content: 'b' }, 'to must not be empty'],
  ['mail.send', { to: ['a@b'], subject: ' ', body_content: 'b' }, 'subject must not be empty'],
  ['mail.send', { to: ['a@b'], subject: 'a\r\nBcc: x', body_content: 'b' }, 'subject must be one line'],
  [
    'mail.send',
    { to: ['a@b'], subject: 's', body_content: '\u0000' },
    'body_content must not contain U+0000',
  ],
  ['mail.send', { to: 'a@b', subject: 's', body_content: 'b' }, 'to must be a list'],
  [
    'mail.send',
    { to: ['a@b'], subject: 's', body_content: 'b', attachments: [{ path: 'x' }] },
    'attachments[0].path must be an absolute path',
  ],
  [
    'mail.send',
    { to: ['a@b'], subject: 's', body_content: 'b', attachments: [{ path: '/x', label: 'l', copy: true }] },
    null,
  ],
  [
    'mail.post',
    { subject: 's', body_content: 'b', reply_policy: 'all' },
    'reply_policy must be one of "none", "operator_mailbox"',
  ],
  ['mail.mark', { message_refs: ['m'] }, 'set at least one of read, answered or archived'],
  ['mail.mark', { message_refs: ['m'], read: null }, 'set at least one of read, answered or archived'],
  ['mail.mark', { message_refs: ['m', ' m'], read: true }, 'message_refs must not name a message twice'],
  ['mail.mark', { message_refs: [''], read: true }, 'message_refs[0] must not be empty'],
  [
    'mail.mark',
    { message_refs: ['m'], archived: true, read: false },
    'read must not be false when archived is true',
  ],
  ['mail.mark', { message_refs: ['m'], starred: true }, 'starred is not a known field'],
  ['mail.move', { message_refs: ['m'], destination_box: '..' }, 'destination_box must not begin with a dot'],
  ['notifier.enable', { interval_seconds: 0 }, 'interval_seconds must be > 0'],
  ['notifier.enable', { interval_seconds: '60' }, 'interval_seconds must be an integer'],
  ['notifier.enable', { interval_seconds: 1.5 }, 'interval_seconds must be an integer'],
  ['notifier.enable', { interval_seconds: 60, enabled: false }, 'enabled must be true'],
  [
    'notifier.enable',
    { interval_seconds: 60, mode: 'all' },
    'mode must be one of "any_inbox", "unread_only"',
  ],
];

it.each(rows)('%s with %j: %s', (id, body, message) => {
  try {
    parseBody(schemaOf(id), body);
    expect(message, 'it was accepted').toBeNull();
  } catch (error) {
    if (!isRouseError(error)) throw error;
    expect(error.message).toContain(message ?? 'it should have been accepted');
  }
});

it('a cron expression may list every second, minute and hour, but has a maximum length', () => {
  const list = (length: number): string => Array.from({ length }, (_, n) => n).join(',');
  const { start_after_seconds: ___, ...plain } = { ...oneOff, mode: 'repeat' };
  const body = (cron: string) => ({ reminders: [{ ...plain, cron }] });
  const schema = schemaOf('reminders.create');
  expect(() => parseBody(schema, body(`${list(60)} ${list(60)} ${list(24)} * * *`))).not.toThrow();
  expect(() => parseBody(schema, body(`${'1,'.repeat(1000)}1 * * * *`))).toThrow(
    /cron must have at most 1000/,
  );
});

it('a key sequence has a maximum length', () => {
  const message = /^sequence must have at most 100000 characters$/;
  expect(() => parseBody(schemaOf('control.sendKeys'), { sequence: '<[Enter]>'.repeat(20_000) })).toThrow(
    message,
  );
  expect(() => parseBody(schemaOf('control.sendKeys'), { sequence: 'a'.repeat(100_000) })).not.toThrow();
});

it('an empty key sequence is reported once', () => {
  expect(() => parseBody(schemaOf('control.sendKeys'), { sequence: '' })).toThrow(
    /^sequence must not be empty$/,
  );
});

it('fields that are left out get their documented defaults', () => {
  expect(parseBody(schemaOf('mail.list'), {})).toEqual({
    schema_version: 1,
    read_state: 'any',
    answered_state: 'any',
    include_body: false,
  });
  expect(parseBody(schemaOf('notifier.enable'), { interval_seconds: 60 })).toMatchObject({
    mode: 'any_inbox',
  });
  expect(
    parseBody(schemaOf('reminders.create'), { reminders: [{ ...untold, send_keys: { sequence: 'x' } }] }),
  ).toMatchObject({
    reminders: [{ paused: false, send_keys: { ensure_enter: true } }],
  });
  expect(parseBody(schemaOf('mail.post'), { subject: ' s ', body_content: 'b' })).toMatchObject({
    subject: 's',
    reply_policy: 'operator_mailbox',
    attachments: [],
  });
});

it('a prompt keeps its white space', () => {
  const body = { kind: 'submit_prompt', payload: { prompt: '  two\n\n' } };
  expect(parseBody(schemaOf('requests.create'), body)).toMatchObject(body);
});

it('the check of cron expressions stops at the first bad one and skips a list that is too long', () => {
  const { start_after_seconds: _, ...plain } = { ...oneOff, mode: 'repeat' };
  const schema = schemaOf('reminders.create');
  const list = (...crons: string[]) => ({ reminders: crons.map((cron) => ({ ...plain, cron })) });
  expect(() => parseBody(schema, list('0 9 * * *', 'x x x x x', 'y y y y y'))).toThrow(
    /^reminders\[1\]\.cron must be a cron expression such as "0 9 \* \* 1-5"$/,
  );
  expect(() => parseBody(schema, list(...Array<string>(1001).fill('x x x x x')))).toThrow(
    /^reminders must have at most 1000 entries$/,
  );
});
