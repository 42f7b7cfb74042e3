import * as z from 'zod';
import { ANSWERED_STATES, READ_STATES } from '../domain/index.ts';
import { given, tool } from './tool.ts';

const message_ref = z.string().describe('`message_ref` of a message, as the lists show it.');
const message_refs = z.array(z.string()).min(1).describe('`message_ref`s of the messages.');
const box = z.string().optional().describe('inbox (default), sent, archive, …');
const page = {
  limit: z.int().positive().optional().describe('At most so many.'),
  include_body: z.boolean().optional().describe('With the bodies. Default: without.'),
  cursor: z.string().optional().describe('`next_cursor` of the page before.'),
};
const outgoing = {
  body_content: z.string().describe('Markdown.'),
  attachments: z
    .array(z.strictObject({ path: z.string().describe('An absolute path.'), label: z.string().optional() }))
    .optional(),
  idempotency_key: z.string().optional().describe('The same key and content again is the same message.'),
};

/** An operation of the gateway's mail routes, with the same fields. */
const operation = <Shape extends z.ZodRawShape>(
  name: string,
  wanted: { title: string; description: string; input: Shape; readOnly?: boolean; idempotent?: boolean },
) =>
  tool({
    name: `mail_${name}`,
    ...wanted,
    run: (args, { mail }) => mail(name, given(args as object)),
  });

export const MAIL_TOOLS = [
  operation('status', {
    title: 'Your mailbox',
    description: 'Which mailbox is yours, and how much is unread and unanswered in it.',
    input: {},
    readOnly: true,
  }),
  operation('list', {
    title: 'List mail',
    description: 'Messages of one box, newest first.',
    input: {
      box,
      read_state: z.enum(READ_STATES).optional(),
      answered_state: z.enum(ANSWERED_STATES).optional(),
      archived: z.boolean().optional(),
      since: z.string().optional().describe('Not older than this time, such as 2026-01-31T08:00:00Z.'),
      ...page,
    },
    readOnly: true,
  }),
  operation('search', {
    title: 'Search mail',
    description: 'Messages that hold a text.',
    input: { text: z.string(), box, ...page },
    readOnly: true,
  }),
  operation('peek', {
    title: 'Look at a message',
    description: 'One message, which stays unread.',
    input: { message_ref, box },
    readOnly: true,
  }),
  operation('read', {
    title: 'Read a message',
    description: 'One message, which is read from now on.',
    input: { message_ref, box },
    idempotent: true,
  }),
  operation('send', {
    title: 'Send mail',
    description: 'Sends a message to mail addresses such as ben@houmao.localhost.',
    input: {
      to: z.array(z.string()).min(1),
      cc: z.array(z.string()).optional(),
      subject: z.string().describe('One line.'),
      ...outgoing,
    },
  }),
  operation('reply', {
    title: 'Reply to a message',
    description: 'Replies to the sender of a message, in its thread.',
    input: { message_ref, ...outgoing },
  }),
  operation('mark', {
    title: 'Mark messages',
    description: 'Sets whether messages are read, answered or archived.',
    input: {
      message_refs,
      read: z.boolean().optional(),
      answered: z.boolean().optional(),
      archived: z.boolean().optional(),
    },
    idempotent: true,
  }),
  operation('move', {
    title: 'Move messages',
    description: 'Moves messages into another box.',
    input: { message_refs, destination_box: z.string() },
    idempotent: true,
  }),
  operation('archive', {
    title: 'Archive messages',
    description: 'Puts finished messages into the archive.',
    input: { message_refs },
    idempotent: true,
  }),
];
