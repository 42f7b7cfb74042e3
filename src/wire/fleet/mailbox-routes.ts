import { limitSentence } from '../../domain/index.ts';
import { MAILBOX_PLACES } from '../places.ts';
import { ourRoutes, type Row } from '../route.ts';
import * as mail from './mailbox.ts';

type MailRow = Omit<Row, 'tag' | 'summary' | 'access'>;

/** The holder of a token has one mailbox and reaches no other. */
const row = <R extends MailRow>(summary: string, more: R) => ({
  tag: 'mailbox',
  summary,
  access: 'token' as const,
  ...more,
});

const noMailbox = { 422: 'The holder of the token has no mailbox here.' };

const unknownMessage = { 404: 'There is no such message in this mailbox.' };
const delivery = {
  404: 'There is no such recipient, or no such message to reply to.',
  409: 'The id or the idempotency key was used for other content.',
};

export const MAILBOX_ROUTES = ourRoutes(MAILBOX_PLACES, {
  'mailbox.bind': {
    tag: 'mailbox',
    summary: 'Give the agent its mailbox; one it had before is restored with its mail',
    access: 'agents',
    body: mail.mailboxBindBody,
    response: mail.mailboxBound,
    errors: { 409: 'The address belongs to another agent.' },
  },
  'mailbox.unbind': {
    tag: 'mailbox',
    summary: 'Accept no more mail for the agent',
    access: 'agents',
    body: mail.mailboxUnbindBody,
    response: mail.mailboxUnbound,
  },
  'mailbox.status': row('The address of the mailbox, and how much is open', {
    response: mail.mailboxStatus,
    errors: noMailbox,
  }),
  'mailbox.watch': row('The version of the mailbox; held until it differs from the known one', {
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
  'mailbox.search': row('Search subject and body', {
    body: mail.mailboxSearchBody,
    response: mail.mailboxPage,
  }),
  'mailbox.peek': row('One message; no flag changes', {
    body: mail.mailboxOneBody,
    response: mail.mailboxOne,
    errors: unknownMessage,
  }),
  'mailbox.read': row('One message; marks it as read', {
    body: mail.mailboxOneBody,
    response: mail.mailboxOne,
    errors: unknownMessage,
  }),
  'mailbox.trail': row(
    'A message and those before it in its thread, newest first: when, and by an agent or a person',
    {
      body: mail.mailboxTrailBody,
      response: mail.mailboxTrail,
      errors: unknownMessage,
    },
  ),
  'mailbox.send': row('Send mail from this mailbox', {
    body: mail.mailboxSendBody,
    response: mail.mailboxSent,
    errors: delivery,
  }),
  'mailbox.post': row('Put a note from the operator into this mailbox', {
    body: mail.mailboxPostBody,
    response: mail.mailboxSent,
    errors: delivery,
  }),
  'mailbox.reply': row('Reply; marks the original message as read and answered', {
    body: mail.mailboxReplyBody,
    response: mail.mailboxSent,
    errors: delivery,
  }),
  'mailbox.mark': row('Set or clear flags, on all messages or on none', {
    body: mail.mailboxMarkBody,
    response: mail.mailboxMany,
    errors: unknownMessage,
  }),
  'mailbox.move': row('Move messages to another box', {
    body: mail.mailboxMoveBody,
    response: mail.mailboxMany,
    errors: unknownMessage,
  }),
  'mailbox.archive': row('Archive messages and mark them as read', {
    body: mail.mailboxArchiveBody,
    response: mail.mailboxMany,
    errors: unknownMessage,
  }),
  'mailbox.attachments.put': row('Upload a part of a file before the message with it is sent', {
    description: `Files that no message refers to are deleted after a day. ${limitSentence('attachmentBytes')}`,
    body: mail.attachmentPartBody,
    response: mail.attachmentPartKept,
  }),
  'mailbox.attachments.get': row('A part of a file attached to a message of this mailbox', {
    query: mail.attachmentPartQuery,
    response: mail.attachmentPart,
    errors: {
      404: 'There is no such attachment in this mailbox.',
      422: `A parameter is not allowed. ${noMailbox[422]}`,
    },
  }),
});
