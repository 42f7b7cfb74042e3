import * as z from 'zod';
import { limitSentence } from '../domain/index.ts';
import { noFields } from './fields.ts';
import { GATEWAY_PLACES } from './places.ts';
import { type Row, routes } from './route.ts';
import { controlPromptBody, promptResult } from './v1/control-prompt.ts';
import { headlessState, nextPromptSessionBody } from './v1/headless.ts';
import { health } from './v1/health.ts';
import {
  mailNotifierBody,
  mailNotifierResumeBody,
  mailNotifierStatus,
  notifierDecisions,
  notifierDecisionsQuery,
  notifierPreview,
} from './v1/mail-notifier.ts';
import * as mail from './v1/mail-requests.ts';
import { mailList, mailMany, mailOne, mailStatus } from './v1/mail-responses.ts';
import { pauseBody, pauseStatus } from './v1/pause.ts';
import {
  createRemindersBody,
  putReminderBody,
  reminder,
  reminderDeleted,
  reminderSet,
} from './v1/reminders.ts';
import {
  eventsQuery,
  ledgerEntry,
  reconcileBody,
  reconciliation,
  requestList,
  requestListQuery,
  requestQuery,
  requestView,
} from './v1/request-views.ts';
import { requestAccepted, requestBody, submitPromptPayload } from './v1/requests.ts';
import { controlResult, sendKeysBody } from './v1/send-keys.ts';
import { gatewayStatus } from './v1/status.ts';
import { pageScreen, pageScreenQuery } from './v1/tui-screen.ts';
import { tuiHistory, tuiHistoryQuery, tuiState } from './v1/tui-state.ts';
import { waitsView } from './v1/waits.ts';

/** Errors of every route of a gateway. Every success is 200. */
export const COMMON_ERRORS: Readonly<Record<number, string>> = {
  400: 'The request is malformed HTTP, or has no Host.',
  401: 'A token is required: the gateway is bound wider than loopback, or the caller is not a program of its owner with a direct connection; proxies and browsers never are.',
  403: 'The Host or Origin header is not that of a local program, or another account of the machine calls.',
  500: 'The gateway failed inside.',
  503: 'The gateway is starting.',
};

const admission = {
  409: 'Work left from a replaced agent is undecided, or the agent may not be disturbed now.',
  503: 'The agent is not connected.',
};
const notTui = { 422: 'The target has no terminal screen.' };
const unknownRequest = { 404: 'There is no such request.' };
const unknownReminder = { 404: 'There is no such reminder.' };
const mailErrors = {
  422: 'A field is not allowed, the session has no usable mailbox, or its transport cannot do that.',
  502: 'The mail store failed.',
  503: 'The gateway is bound wider than loopback, where mail is not served.',
};
const mailErrorsOne = { ...mailErrors, 404: 'There is no such message.' };
const mailErrorsOut = { ...mailErrorsOne, 409: 'The idempotency key was used for other content.' };

const mailRow = <B extends z.ZodType, A extends z.ZodType>(
  summary: string,
  body: B,
  response: A,
  errors: Row['errors'],
) => ({ tag: 'mail', access: 'owner' as const, summary, body, response, errors: { ...errors } });

export const GATEWAY_ROUTES = routes(GATEWAY_PLACES, {
  health: {
    tag: 'gateway',
    summary: 'Is the gateway alive?',
    access: 'everybody',
    response: health,
  },
  metrics: {
    ours: true,
    tag: 'gateway',
    summary: 'Counts for Prometheus',
    access: 'owner',
    response: z.string(),
    contentType: 'text/plain',
  },
  status: {
    tag: 'gateway',
    summary: 'What the gateway and its agent are doing',
    access: 'owner',
    response: gatewayStatus,
  },
  'requests.create': {
    tag: 'requests',
    summary: 'Store a prompt or an interrupt, to be carried out when the agent is ready',
    description: `${limitSentence('queueRows')} ${limitSentence('queueBytes')}`,
    access: 'owner',
    body: requestBody,
    headers: {
      'Idempotency-Key': 'Same as `idempotency_key` of the body; if both are sent they must be equal.',
    },
    response: requestAccepted,
    errors: { ...admission, 501: 'No gateway can serve this backend.' },
  },
  'requests.list': {
    ours: true,
    tag: 'requests',
    summary: 'Requests, newest first',
    access: 'owner',
    query: requestListQuery,
    response: requestList,
  },
  'requests.get': {
    ours: true,
    tag: 'requests',
    summary: 'One request with its ledger; with `?wait`, the response comes when it has ended',
    access: 'owner',
    query: requestQuery,
    response: requestView,
    errors: unknownRequest,
  },
  'requests.cancel': {
    ours: true,
    tag: 'requests',
    summary: 'Cancel a queued request',
    access: 'owner',
    ...noFields,
    response: requestView,
    errors: { ...unknownRequest, 409: 'It has begun or ended.' },
  },
  events: {
    ours: true,
    tag: 'requests',
    summary: 'Ledger entries as server-sent events; resumes after `Last-Event-ID` or `?after`',
    access: 'owner',
    query: eventsQuery,
    headers: { 'Last-Event-ID': 'The id of the last event received; takes precedence over `after`.' },
    response: ledgerEntry,
    events: 'only',
    errors: unknownRequest,
  },
  'reconciliation.get': {
    ours: true,
    tag: 'requests',
    summary: 'Requests that were meant for an earlier agent process',
    access: 'owner',
    response: reconciliation,
  },
  'reconciliation.decide': {
    ours: true,
    tag: 'requests',
    summary: 'Keep such requests for the current process, or discard them',
    access: 'owner',
    body: reconcileBody,
    response: reconciliation,
    errors: unknownRequest,
  },
  'control.prompt': {
    tag: 'control',
    summary: 'Submit a prompt now, or be refused with the reasons',
    access: 'owner',
    body: controlPromptBody,
    response: promptResult,
    errors: { ...admission, 501: 'No gateway can serve this backend.' },
  },
  'control.sendKeys': {
    tag: 'control',
    summary: 'Type raw keys now; no Enter is added',
    access: 'owner',
    body: sendKeysBody,
    response: controlResult,
    errors: { ...admission, 422: 'A key is unknown, or the target takes no raw keys.' },
  },
  'tui.state': {
    tag: 'control',
    summary: "What the agent's screen shows",
    access: 'owner',
    response: tuiState,
    errors: notTui,
  },
  'tui.history': {
    tag: 'control',
    summary: 'Recent snapshots of the screen, newest last',
    access: 'owner',
    query: tuiHistoryQuery,
    response: tuiHistory,
    errors: notTui,
  },
  'tui.screen': {
    ours: true,
    tag: 'control',
    summary: 'The screen as last captured, with colours; nothing is attached or resized',
    access: 'owner',
    query: pageScreenQuery,
    response: pageScreen,
    errors: { ...notTui, 503: 'The terminal cannot be reached.' },
  },
  'tui.notePrompt': {
    tag: 'control',
    summary: 'Note that a prompt was submitted by other means; nothing is sent',
    access: 'owner',
    body: submitPromptPayload,
    response: tuiState,
    errors: notTui,
  },
  'pause.status': {
    ours: true,
    tag: 'control',
    summary: 'Whether a person has paused the agent',
    access: 'owner',
    response: pauseStatus,
  },
  'pause.begin': {
    ours: true,
    tag: 'control',
    summary:
      'Pause the agent: nothing is typed without a person asking; mail arrives and every setting stays',
    description:
      'Holds wakes for mail, reminders, and messages and nudges of the fleet until the pause ends. Requests and direct prompts of callers are typed. When the response comes, nothing that is held is being typed.',
    access: 'owner',
    body: pauseBody,
    response: pauseStatus,
  },
  'pause.end': {
    ours: true,
    tag: 'control',
    summary: 'Resume the agent: what waited goes on, one at a time, as the agent becomes ready',
    access: 'owner',
    response: pauseStatus,
  },
  'headless.state': {
    tag: 'control',
    summary: 'What a headless agent is doing, and its next chat session',
    access: 'owner',
    response: headlessState,
    errors: { 422: 'The target is not headless.', 503: 'The manifest cannot be read.' },
  },
  'headless.nextPromptSession': {
    tag: 'control',
    summary: 'Make the next direct prompt start a new chat session',
    access: 'owner',
    body: nextPromptSessionBody,
    response: headlessState,
    errors: { 422: 'The target is not headless.', 503: 'The manifest cannot be read.' },
  },
  'reminders.create': {
    tag: 'reminders',
    summary: 'Create reminders, all or none',
    description: limitSentence('liveReminders'),
    access: 'owner',
    body: createRemindersBody,
    response: reminderSet,
  },
  'reminders.list': {
    tag: 'reminders',
    summary: 'All live reminders in ranking order',
    access: 'owner',
    response: reminderSet,
  },
  'reminders.get': {
    tag: 'reminders',
    summary: 'One reminder',
    access: 'owner',
    response: reminder,
    errors: unknownReminder,
  },
  'reminders.put': {
    tag: 'reminders',
    summary: 'Replace every mutable field of a reminder',
    access: 'owner',
    body: putReminderBody,
    response: reminder,
    errors: { ...unknownReminder, 409: 'It is being delivered.' },
  },
  'reminders.delete': {
    tag: 'reminders',
    summary: 'Delete a reminder; a delivery that has begun is completed first',
    access: 'owner',
    response: reminderDeleted,
    errors: unknownReminder,
  },
  'mail.status': {
    tag: 'mail',
    summary: 'Which mailbox this is',
    access: 'owner',
    response: mailStatus,
    errors: mailErrors,
  },
  'mail.waits': {
    ours: true,
    tag: 'mail',
    summary: 'Who waits for whose answer, in all mailboxes beside this one',
    description: 'Empty if the kind of mailbox does not know who waits.',
    access: 'owner',
    response: waitsView,
    errors: mailErrors,
  },
  'mail.list': mailRow('Messages of one box, newest first', mail.mailListBody, mailList, mailErrors),
  'mail.check': mailRow('The same as list, by its older name', mail.mailListBody, mailList, mailErrors),
  'mail.search': {
    ...mailRow('Messages that contain all given words', mail.mailSearchBody, mailList, mailErrors),
    ours: true,
  },
  'mail.peek': mailRow(
    'One message with its body; nothing changes',
    mail.mailOneBody,
    mailOne,
    mailErrorsOne,
  ),
  'mail.read': mailRow(
    'One message with its body; marks it as read',
    mail.mailOneBody,
    mailOne,
    mailErrorsOne,
  ),
  'mail.send': mailRow('Send a message to full addresses', mail.mailSendBody, mailOne, mailErrorsOut),
  'mail.post': mailRow(
    "Put a note from the operator into the agent's own inbox",
    mail.mailPostBody,
    mailOne,
    mailErrorsOut,
  ),
  'mail.reply': mailRow(
    'Reply; marks the original message as read and answered',
    mail.mailReplyBody,
    mailOne,
    mailErrorsOut,
  ),
  'mail.mark': mailRow('Set or clear read, answered, archived', mail.mailMarkBody, mailMany, mailErrorsOne),
  'mail.move': mailRow('Move messages to another box', mail.mailMoveBody, mailMany, mailErrorsOne),
  'mail.archive': mailRow('Move messages to the archive', mail.mailArchiveBody, mailMany, mailErrorsOne),
  'notifier.status': {
    tag: 'notifier',
    summary: 'Whether and how the agent is woken for mail',
    access: 'owner',
    response: mailNotifierStatus,
  },
  'notifier.enable': {
    tag: 'notifier',
    summary: 'Enable or reconfigure waking for mail',
    access: 'owner',
    body: mailNotifierBody,
    response: mailNotifierStatus,
    errors: { 422: 'A field is not allowed, or the session has no usable mailbox.' },
  },
  'notifier.disable': {
    tag: 'notifier',
    summary: 'Stop waking for mail',
    access: 'owner',
    response: mailNotifierStatus,
  },
  'notifier.resume': {
    ours: true,
    tag: 'notifier',
    summary: 'Wake again for a thread that was paused for too many automatic replies',
    access: 'owner',
    body: mailNotifierResumeBody,
    response: mailNotifierStatus,
    errors: { 404: 'The thread is not paused.' },
  },
  'notifier.decisions': {
    ours: true,
    tag: 'notifier',
    summary: 'Why the agent was or was not woken: each decision with its facts',
    access: 'owner',
    query: notifierDecisionsQuery,
    response: notifierDecisions,
  },
  'notifier.preview': {
    ours: true,
    tag: 'notifier',
    summary: 'The prompt with which the agent would be woken now; nothing is typed or stored',
    access: 'owner',
    response: notifierPreview,
  },
  mcp: {
    ours: true,
    tag: 'mail',
    summary: "The agent's own mail, reminders and requests as MCP tools",
    access: 'agent',
    response: z.unknown(),
    documented: false,
  },
  openapi: {
    ours: true,
    tag: 'gateway',
    summary: 'This document',
    access: 'owner',
    response: z.record(z.string(), z.unknown()),
    documented: false,
  },
});

export type GatewayRoutes = typeof GATEWAY_ROUTES;
