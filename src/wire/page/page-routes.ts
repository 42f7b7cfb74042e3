import * as z from 'zod';
import { PAGE_PLACES, PAGE_SHELL_PLACES } from '../places.ts';
import { ourRoutes, type Row } from '../route.ts';
import { reminderSet } from '../v1/reminders.ts';
import { pageScreen, pageScreenQuery } from '../v1/tui-screen.ts';
import * as act from './actions.ts';
import * as agent from './agent-views.ts';
import * as day from './day.ts';
import * as health from './health.ts';
import * as host from './host-view.ts';
import * as lanes from './lanes.ts';
import * as mail from './mail.ts';
import * as push from './push.ts';
import * as requests from './requests.ts';
import * as search from './search.ts';
import * as session from './session.ts';
import * as several from './several.ts';
import * as waits from './waits.ts';

type PageRow = Omit<Row, 'tag' | 'summary' | 'access' | 'documented'>;

const row = <R extends PageRow, A extends Row['access']>(access: A, summary: string, more: R) => ({
  tag: 'page',
  summary,
  access,
  documented: false as const,
  ...more,
});

/** For callers with a session of the page. */
const inside = <R extends PageRow>(summary: string, more: R) => row('page_session', summary, more);
/** For the command line, which issues codes. */
const keeper = <R extends PageRow>(summary: string, more: R) => row('owner_or_server_admin', summary, more);
const file = (summary: string) =>
  row('page_shell', summary, { response: z.string(), contentType: 'text/html' });

/** The API of the page. Only the page of the same version uses it, so it is in no document. */
export const PAGE_ROUTES = ourRoutes(PAGE_PLACES, {
  'page.codes.create': keeper('Make a code that opens the page once', {
    body: session.pageCodeBody,
    bodyOptional: true,
    response: session.pageCode,
  }),
  'page.sessions.list': keeper('Who has the page open', { response: session.pageSessionList }),
  'page.revoke': keeper('End sessions and codes of the page', {
    body: session.pageRevokeBody,
    bodyOptional: true,
    response: session.pageRevoked,
  }),
  'page.audit': keeper('What was done on the page, and by whom', {
    query: session.pageAuditQuery,
    response: session.pageAudit,
  }),
  'page.login': inside('A code becomes a session', {
    body: session.pageLoginBody,
    response: session.pageSession,
  }),
  'page.session': inside('Who I am', { response: session.pageSession }),
  'page.logout': inside('End my session', { response: z.object({ ended: z.literal(true) }) }),
  'page.snapshot': inside('Every agent, and what needs a person', { response: host.pageSnapshot }),
  'page.events': inside('Changes as they happen', {
    query: host.pageEventsQuery,
    response: z.string(),
    contentType: 'text/event-stream',
  }),
  'page.day': inside('What happened between two times', { query: day.pageDayQuery, response: day.pageDay }),
  'page.visit': inside('When I was here before', { response: day.pageVisit }),
  'page.visit.mark': inside('Note that I was here', { body: day.pageVisitBody, response: act.pageReceipt }),
  'page.health': inside('How wakes went, and how the server is', {
    query: health.pageHealthQuery,
    response: health.pageHealth,
  }),
  'page.waits': inside('Who waits for whom', { response: waits.pageWaits }),
  'page.lanes': inside('The states of every agent over time', {
    query: lanes.pageLanesQuery,
    response: lanes.pageLanes,
  }),
  'page.agent': inside('One agent', { query: agent.pageAgentQuery, response: agent.pageAgent }),
  'page.agent.seen': inside('Mark it as seen', { body: act.pageActBody, response: act.pageReceipt }),
  'page.agent.timeline': inside('Its timeline, newest first', {
    query: agent.pageTimelineQuery,
    response: agent.pageTimeline,
  }),
  'page.agent.ledger': inside('The ledger of one item', { response: agent.pageLedger }),
  'page.agent.screen': inside('Its screen, captured', {
    query: pageScreenQuery,
    response: pageScreen,
  }),
  'page.agent.queue': inside('Its queued and past requests', {
    query: agent.pageQueueQuery,
    response: agent.pageQueue,
  }),
  'page.agent.reminders': inside('Its reminders, ranked', { response: reminderSet }),
  'page.agent.prompt': inside('Queue a prompt for it', {
    body: act.pagePromptBody,
    response: act.pageReceipt,
  }),
  'page.agent.interrupt': inside('End its turn', { body: act.pageInterruptBody, response: act.pageReceipt }),
  'page.agent.pause': inside('Pause or resume it', {
    body: act.pageAgentPauseBody,
    response: act.pageReceipt,
  }),
  'page.agent.mute': inside('Hide its needs from me until its state changes', {
    body: act.pageAgentMuteBody,
    response: act.pageReceipt,
  }),
  'page.agent.stop': inside('Stop it', { body: act.pageAgentEndBody, response: act.pageReceipt }),
  'page.agent.relaunch': inside('Start its tool again, with its conversation', {
    body: act.pageAgentEndBody,
    response: act.pageReceipt,
  }),
  'page.agent.attach': inside('Bring its gateway back', { body: act.pageActBody, response: act.pageReceipt }),
  'page.agent.dialog': inside('Press a key of the dialog that was seen', {
    body: act.pageDialogBody,
    response: act.pageReceipt,
  }),
  'page.agent.cancel': inside('Cancel a queued request', {
    body: act.pageActBody,
    response: act.pageReceipt,
  }),
  'page.reminders': inside('The reminders of every agent', { response: agent.pageReminders }),
  'page.reminders.create': inside('Make a reminder', {
    body: act.pageReminderBody,
    response: act.pageReceipt,
  }),
  'page.reminders.edit': inside('Change a reminder', {
    body: act.pageReminderEditBody,
    response: act.pageReceipt,
  }),
  'page.reminders.order': inside('Rank the reminders of an agent', {
    body: act.pageReminderOrderBody,
    response: act.pageReceipt,
  }),
  'page.reminders.restore': inside('Create a reminder again that was just removed', {
    body: act.pageReminderRestoreBody,
    response: act.pageReceipt,
  }),
  'page.reminders.next': inside('When a schedule is due next', {
    query: act.pageNextQuery,
    response: act.pageNext,
  }),
  'page.reminders.pause': inside('Pause or resume a reminder', {
    body: act.pageReminderPauseBody,
    response: act.pageReceipt,
  }),
  'page.reminders.delete': inside('Remove a reminder', { body: act.pageActBody, response: act.pageReceipt }),
  'page.mailboxes': inside('Every mailbox of the host', { response: mail.pageMailboxes }),
  'page.mail.list': inside('Conversations, newest first', {
    query: mail.pageMailQuery,
    response: mail.pageMailList,
  }),
  'page.mail.message': inside('One message', { query: mail.pageMessageQuery, response: mail.pageMessage }),
  'page.mail.thread': inside('A thread, oldest first', {
    query: mail.pageThreadQuery,
    response: mail.pageThread,
  }),
  'page.mail.attachment': inside('The bytes of an attachment', {
    query: mail.pageAttachmentQuery,
    response: z.string(),
    contentType: 'application/octet-stream',
  }),
  'page.mail.send': inside('Mail from the operator', {
    body: mail.pageMailSendBody,
    response: mail.pageMailSent,
  }),
  'page.mail.reply': inside('Reply as the operator', {
    body: mail.pageMailReplyBody,
    response: mail.pageMailSent,
  }),
  'page.mail.receipts': inside('How far each message of a thread is with each recipient', {
    query: mail.pageThreadQuery,
    response: mail.pageMailReceipts,
  }),
  'page.mail.sort': inside('Archive messages, or mark them as read, or the reverse', {
    body: mail.pageMailSortBody,
    response: mail.pageMailSorted,
  }),
  'page.mail.restore': inside('Undo what sorting did', {
    body: mail.pageMailRestoreBody,
    response: act.pageReceipt,
  }),
  'page.requests': inside('Requests between agents and people', {
    query: requests.pageRequestsQuery,
    response: requests.pageRequestList,
  }),
  'page.request.create': inside('Ask an agent or a person', {
    body: act.pageRequestCreateBody,
    response: act.pageReceipt,
  }),
  'page.request': inside('One request with its thread', { response: requests.pageRequest }),
  'page.request.respond': inside('Answer a request', {
    body: act.pageRespondBody,
    response: act.pageReceipt,
  }),
  'page.request.message': inside('Write to the other side of a request', {
    body: act.pageRequestMessageBody,
    response: act.pageReceipt,
  }),
  'page.request.cancel': inside('Withdraw a request', { body: act.pageActBody, response: act.pageReceipt }),
  'page.push': inside('Whether this person gets Web Push, and in which browsers', {
    response: push.pagePush,
  }),
  'page.push.add': inside('Let this browser receive Web Push', {
    body: push.pagePushAddBody,
    response: act.pageReceipt,
  }),
  'page.push.remove': inside('Let a browser receive it no more', {
    body: push.pagePushRemoveBody,
    response: act.pageReceipt,
  }),
  'page.search': inside('Search everything', {
    query: search.pageSearchQuery,
    response: search.pageSearch,
  }),
  'page.several': inside('Several of these calls at once', {
    query: several.pageSeveralQuery,
    response: several.pageSeveral,
  }),
});

/** The page itself: one document for each of its places, and the files it loads. */
export const PAGE_SHELL_ROUTES = ourRoutes(PAGE_SHELL_PLACES, {
  'page.shell.root': file('To the page'),
  'page.shell.short': file('To the page'),
  'page.shell.home': file('The page'),
  'page.shell.agent': file('The page, at an agent'),
  'page.shell.day': file('The page, at what happened'),
  'page.shell.day.of': file('The page, at a day'),
  'page.shell.health': file('The page, at its health'),
  'page.shell.activity': file('The page, at the states over time'),
  'page.shell.mail': file('The page, at the mail'),
  'page.shell.requests': file('The page, at the requests'),
  'page.shell.reminders': file('The page, at the reminders'),
  'page.shell.worker': file('What receives Web Push in a browser'),
  'page.shell.asset': file('A file of the page'),
});
