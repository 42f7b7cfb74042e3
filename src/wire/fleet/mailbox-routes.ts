import { limitSentence } from '../../domain/index.ts';
import { MAILBOX_PLACES } from '../places.ts';
import { ourRoutes, type Row } from '../route.ts';
import * as mail from './mailbox.ts';

type MailRow = Omit<Row, 'tag' | 'summary' | 'access'>;

/** Whoever has a token has one mailbox, and reaches no other. */
const row = <R extends MailRow>(summary: string, more: R) => ({
  tag: 'mailbox',
  summary,
  access: 'token' as const,
  ...more,
});

const noMailbox = { 422: 'The holder of the token has no mailbox here.' };

const unknownMessage = { 404: 'There is no such message in this mailbox.' };
const delivery = {
  404: 'There is no such recipient, or no such message to answer.',
  409: 'The id or the idempotency key was used for other content.',
};

export const MAILBOX_ROUTES = ourRoutes(MAILBOX_PLACES, {
  'mailbox.bind': {
    tag: 'mailbox',
    summary: 'Give the agent its mailbox; the one it had comes back with its mail',
    access: 'agents',
    body: mail.mailboxBindBody,
    response: mail.mailboxBound,
    errors: { 409: 'The address belongs to another agent.' },
  },
  'mailbox.unbind': {
    tag: 'mailbox',
    summary: 'Take no more mail for the agent',
    access: 'agents',
    body: mail.mailboxUnbindBody,
    response: mail.mailboxUnbound,
  },
  'mailbox.status': row('Whose mailbox it is, and how much is open', {
    response: mail.mailboxStatus,
    errors: noMailbox,
  }),
  'mailbox.watch': row('The version of the mailbox; held until it is another one than that which is known', {
    body: mail.mailboxWatchBody,
    response: mail.mailboxWatched,
  }),
  'mailbox.list': row('Messages of one box, newest first', {
    body: mail.mailboxListBody,
    response: mail.mailboxPage,
  }),
  'mailbox.count': row('How many messages a list would have, on all of its pages', {
    body: mail.mailboxListBody,
    response: mail.mailboxCounts,
  }),
  'mailbox.search': row('Words of subject and body', {
    body: mail.mailboxSearchBody,
    response: mail.mailboxPage,
  }),
  'mailbox.peek': row('One message; no flag changes', {
    body: mail.mailboxOneBody,
    response: mail.mailboxOne,
    errors: unknownMessage,
  }),
  'mailbox.read': row('One message, which is read then', {
    body: mail.mailboxOneBody,
    response: mail.mailboxOne,
    errors: unknownMessage,
  }),
  'mailbox.trail': row('A message and those it answers, newest first: when, and by an agent or a person', {
    body: mail.mailboxTrailBody,
    response: mail.mailboxTrail,
    errors: unknownMessage,
  }),
  'mailbox.send': row('Send mail from this mailbox', {
    body: mail.mailboxSendBody,
    response: mail.mailboxSent,
    errors: delivery,
  }),
  'mailbox.post': row('Leave a note of the operator in this mailbox', {
    body: mail.mailboxPostBody,
    response: mail.mailboxSent,
    errors: delivery,
  }),
  'mailbox.reply': row('Answer a message, which is read and answered then', {
    body: mail.mailboxReplyBody,
    response: mail.mailboxSent,
    errors: delivery,
  }),
  'mailbox.mark': row('Set or clear flags, of all messages or of none', {
    body: mail.mailboxMarkBody,
    response: mail.mailboxMany,
    errors: unknownMessage,
  }),
  'mailbox.move': row('Put messages into another box', {
    body: mail.mailboxMoveBody,
    response: mail.mailboxMany,
    errors: unknownMessage,
  }),
  'mailbox.archive': row('Archive messages; they are read then', {
    body: mail.mailboxArchiveBody,
    response: mail.mailboxMany,
    errors: unknownMessage,
  }),
  'mailbox.attachments.put': row('Put a piece of a file here, before the message it travels with is sent', {
    description: `What no message came for is deleted after a day. ${limitSentence('attachmentBytes')}`,
    body: mail.attachmentPartBody,
    response: mail.attachmentPartKept,
  }),
  'mailbox.attachments.get': row('A piece of a file that came with a message of this mailbox', {
    query: mail.attachmentPartQuery,
    response: mail.attachmentPart,
    errors: {
      404: 'There is no such attachment in this mailbox.',
      422: `A parameter is not allowed. ${noMailbox[422]}`,
    },
  }),
});
