import type * as z from 'zod';
import { type Route, route } from './route.ts';
import { controlPromptBody, promptResult } from './v1/control-prompt.ts';
import { headlessState, nextPromptSessionBody } from './v1/headless.ts';
import { health } from './v1/health.ts';
import {
  mailNotifierBody,
  mailNotifierStatus,
  notifierDecisions,
  notifierDecisionsQuery,
} from './v1/mail-notifier.ts';
import * as mail from './v1/mail-requests.ts';
import { mailList, mailMany, mailOne, mailStatus } from './v1/mail-responses.ts';
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
  requestView,
} from './v1/request-views.ts';
import { requestAccepted, requestBody, submitPromptPayload } from './v1/requests.ts';
import { controlResult, sendKeysBody } from './v1/send-keys.ts';
import { gatewayStatus } from './v1/status.ts';
import { tuiHistory, tuiHistoryQuery, tuiState } from './v1/tui-state.ts';

/** Every success is 200. Any route may also answer these. */
export const COMMON_ERRORS: Readonly<Record<number, string>> = {
  401: 'A token is required: the gateway is bound wider than loopback, or does not know the account that calls as its owner.',
  403: 'The Host or Origin header is not that of a local program, or another account of the machine calls.',
  500: 'The gateway failed inside.',
};

const admission = {
  409: 'Left-over work of a replaced agent is undecided, or the agent may not be disturbed now.',
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

const mailRoute = (
  operation: string,
  summary: string,
  body: z.ZodType,
  response: z.ZodType,
  errors: Route['errors'],
) =>
  route({
    id: `mail.${operation}`,
    method: 'POST',
    path: `/v1/mail/${operation}`,
    tag: 'mail',
    summary,
    body,
    response,
    errors,
  });

export const ROUTES: readonly Route[] = [
  route({
    id: 'health',
    method: 'GET',
    path: '/health',
    tag: 'gateway',
    summary: 'Is the gateway alive?',
    response: health,
  }),
  route({
    id: 'status',
    method: 'GET',
    path: '/v1/status',
    tag: 'gateway',
    summary: 'What the gateway and its agent are doing',
    response: gatewayStatus,
  }),
  route({
    id: 'requests.create',
    method: 'POST',
    path: '/v1/requests',
    tag: 'requests',
    summary: 'Store a prompt or an interrupt; it is carried out when the agent is ready',
    body: requestBody,
    headers: { 'Idempotency-Key': 'The same as `idempotency_key` of the body; both must not differ.' },
    response: requestAccepted,
    errors: { ...admission, 501: 'No gateway can serve this backend.' },
  }),
  route({
    id: 'requests.list',
    method: 'GET',
    path: '/v1/requests',
    tag: 'requests',
    summary: 'Requests, newest first',
    query: requestListQuery,
    response: requestList,
  }),
  route({
    id: 'requests.get',
    method: 'GET',
    path: '/v1/requests/{request_id}',
    tag: 'requests',
    summary: 'One request with its ledger; with `?wait`, answered when it has ended',
    response: requestView,
    errors: unknownRequest,
  }),
  route({
    id: 'requests.cancel',
    method: 'POST',
    path: '/v1/requests/{request_id}/cancel',
    tag: 'requests',
    summary: 'Take a request out of the line',
    response: requestView,
    errors: { ...unknownRequest, 409: 'It has begun or ended.' },
  }),
  route({
    id: 'events',
    method: 'GET',
    path: '/v1/events',
    tag: 'requests',
    summary: 'Ledger entries as server-sent events; resumes after `Last-Event-ID` or `?after`',
    query: eventsQuery,
    headers: { 'Last-Event-ID': 'The id of the event seen last; goes before `after`.' },
    response: ledgerEntry,
    errors: unknownRequest,
  }),
  route({
    id: 'reconciliation.get',
    method: 'GET',
    path: '/v1/reconciliation',
    tag: 'requests',
    summary: 'Requests that were meant for an earlier agent process',
    response: reconciliation,
  }),
  route({
    id: 'reconciliation.decide',
    method: 'POST',
    path: '/v1/reconciliation',
    tag: 'requests',
    summary: 'Keep such requests for the process that is there now, or discard them',
    body: reconcileBody,
    response: reconciliation,
    errors: unknownRequest,
  }),
  route({
    id: 'control.prompt',
    method: 'POST',
    path: '/v1/control/prompt',
    tag: 'control',
    summary: 'Submit a prompt now, or be refused with the reasons',
    body: controlPromptBody,
    response: promptResult,
    errors: { ...admission, 501: 'No gateway can serve this backend.' },
  }),
  route({
    id: 'control.sendKeys',
    method: 'POST',
    path: '/v1/control/send-keys',
    tag: 'control',
    summary: 'Type raw keys now; no Enter is added',
    body: sendKeysBody,
    response: controlResult,
    errors: { ...admission, 422: 'A key is unknown, or the target takes no raw keys.' },
  }),
  route({
    id: 'tui.state',
    method: 'GET',
    path: '/v1/control/tui/state',
    tag: 'control',
    summary: "What the agent's screen shows",
    response: tuiState,
    errors: notTui,
  }),
  route({
    id: 'tui.history',
    method: 'GET',
    path: '/v1/control/tui/history',
    tag: 'control',
    summary: 'Recent snapshots of the screen, newest last',
    query: tuiHistoryQuery,
    response: tuiHistory,
    errors: notTui,
  }),
  route({
    id: 'tui.notePrompt',
    method: 'POST',
    path: '/v1/control/tui/note-prompt',
    tag: 'control',
    summary: 'Tell the tracker that a prompt was submitted by other means; nothing is sent',
    body: submitPromptPayload,
    response: tuiState,
    errors: notTui,
  }),
  route({
    id: 'headless.state',
    method: 'GET',
    path: '/v1/control/headless/state',
    tag: 'control',
    summary: 'What a headless agent is doing, and which chat session is next',
    response: headlessState,
    errors: { 422: 'The target is not headless.', 503: 'The manifest cannot be read.' },
  }),
  route({
    id: 'headless.nextPromptSession',
    method: 'POST',
    path: '/v1/control/headless/next-prompt-session',
    tag: 'control',
    summary: 'Have the next direct prompt start a new chat session',
    body: nextPromptSessionBody,
    response: headlessState,
    errors: { 422: 'The target is not headless.', 503: 'The manifest cannot be read.' },
  }),
  route({
    id: 'reminders.create',
    method: 'POST',
    path: '/v1/reminders',
    tag: 'reminders',
    summary: 'Create reminders, all or none',
    body: createRemindersBody,
    response: reminderSet,
  }),
  route({
    id: 'reminders.list',
    method: 'GET',
    path: '/v1/reminders',
    tag: 'reminders',
    summary: 'All live reminders in ranking order',
    response: reminderSet,
  }),
  route({
    id: 'reminders.get',
    method: 'GET',
    path: '/v1/reminders/{reminder_id}',
    tag: 'reminders',
    summary: 'One reminder',
    response: reminder,
    errors: unknownReminder,
  }),
  route({
    id: 'reminders.put',
    method: 'PUT',
    path: '/v1/reminders/{reminder_id}',
    tag: 'reminders',
    summary: 'Replace every mutable field of a reminder',
    body: putReminderBody,
    response: reminder,
    errors: { ...unknownReminder, 409: 'It is being delivered.' },
  }),
  route({
    id: 'reminders.delete',
    method: 'DELETE',
    path: '/v1/reminders/{reminder_id}',
    tag: 'reminders',
    summary: 'Delete a reminder; a delivery that has begun ends first',
    response: reminderDeleted,
    errors: unknownReminder,
  }),
  route({
    id: 'mail.status',
    method: 'GET',
    path: '/v1/mail/status',
    tag: 'mail',
    summary: 'Which mailbox this is',
    response: mailStatus,
    errors: mailErrors,
  }),
  mailRoute('list', 'Messages of one box, newest first', mail.mailListBody, mailList, mailErrors),
  mailRoute('check', 'The same as list, under an older name', mail.mailListBody, mailList, mailErrors),
  mailRoute('search', 'Messages that contain all given words', mail.mailSearchBody, mailList, mailErrors),
  mailRoute('peek', 'One message with its body; nothing changes', mail.mailOneBody, mailOne, mailErrorsOne),
  mailRoute(
    'read',
    'One message with its body, which becomes read',
    mail.mailOneBody,
    mailOne,
    mailErrorsOne,
  ),
  mailRoute('send', 'Send a message to full addresses', mail.mailSendBody, mailOne, mailErrorsOut),
  mailRoute(
    'post',
    "Leave a note of the operator in the agent's own inbox",
    mail.mailPostBody,
    mailOne,
    mailErrorsOut,
  ),
  mailRoute(
    'reply',
    'Reply; the message replied to becomes read and answered',
    mail.mailReplyBody,
    mailOne,
    mailErrorsOut,
  ),
  mailRoute('mark', 'Set or clear read, answered, archived', mail.mailMarkBody, mailMany, mailErrorsOne),
  mailRoute('move', 'Move messages to another box', mail.mailMoveBody, mailMany, mailErrorsOne),
  mailRoute('archive', 'Move messages to the archive', mail.mailArchiveBody, mailMany, mailErrorsOne),
  route({
    id: 'notifier.status',
    method: 'GET',
    path: '/v1/mail-notifier',
    tag: 'notifier',
    summary: 'Whether and how the agent is woken for mail',
    response: mailNotifierStatus,
  }),
  route({
    id: 'notifier.enable',
    method: 'PUT',
    path: '/v1/mail-notifier',
    tag: 'notifier',
    summary: 'Enable or reconfigure waking for mail',
    body: mailNotifierBody,
    response: mailNotifierStatus,
    errors: { 422: 'A field is not allowed, or the session has no usable mailbox.' },
  }),
  route({
    id: 'notifier.disable',
    method: 'DELETE',
    path: '/v1/mail-notifier',
    tag: 'notifier',
    summary: 'Stop waking for mail',
    response: mailNotifierStatus,
  }),
  route({
    id: 'notifier.decisions',
    method: 'GET',
    path: '/v1/mail-notifier/decisions',
    tag: 'notifier',
    summary: 'Why the agent was or was not woken: each decision with its facts',
    query: notifierDecisionsQuery,
    response: notifierDecisions,
  }),
];

/** The route of that id. */
export function routeOf(id: string): Route {
  const found = ROUTES.find((each) => each.id === id);
  if (!found) throw new Error(`no route ${id}`);
  return found;
}
