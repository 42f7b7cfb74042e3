import * as z from 'zod';
import { MAIL_OPERATIONS } from '../domain/schemas.ts';
import { LOCAL_DOMAIN } from '../wire/houmao/index.ts';
import { mailList, mailMany, mailOne, mailStatus } from '../wire/index.ts';
import { tool, withoutUndefined } from './tool.ts';

interface OperationTexts {
  title: string;
  description: string;
  output: z.ZodObject;
  readOnly?: boolean;
  idempotent?: boolean;
}

/** An operation on the agent's mailbox, with the same input as on HTTP and the command line. */
const operation = (name: keyof typeof MAIL_OPERATIONS, wanted: OperationTexts) =>
  mailTool(name, MAIL_OPERATIONS[name], wanted);

const mailTool = (name: string, input: z.ZodObject, wanted: OperationTexts) =>
  tool({
    name: `mail_${name}`,
    ...wanted,
    input,
    run: (args, { mail }) => mail(name, withoutUndefined(args)),
  });

export const MAIL_TOOLS = [
  mailTool('status', z.strictObject({}), {
    title: 'Your mailbox',
    description: 'Which mailbox is yours, and how much is unread and unanswered in it.',
    output: mailStatus,
    readOnly: true,
  }),
  operation('list', {
    title: 'List mail',
    description: 'Messages of one box, newest first.',
    output: mailList,
    readOnly: true,
  }),
  operation('search', {
    title: 'Search mail',
    description: 'Messages that contain all words of a text.',
    output: mailList,
    readOnly: true,
  }),
  operation('peek', {
    title: 'Look at a message',
    description: 'Returns one message and leaves it unread.',
    output: mailOne,
    readOnly: true,
  }),
  operation('read', {
    title: 'Read a message',
    description: 'Returns one message and marks it as read.',
    output: mailOne,
    idempotent: true,
  }),
  operation('send', {
    title: 'Send mail',
    description: `Sends a message to agents by name, such as ben or app/ben, or to mail addresses such as ben@${LOCAL_DOMAIN}.`,
    output: mailOne,
  }),
  operation('reply', {
    title: 'Reply to a message',
    description: 'Replies to the sender of a message, in its thread.',
    output: mailOne,
  }),
  operation('mark', {
    title: 'Mark messages',
    description: 'Sets whether messages are read, answered or archived.',
    output: mailMany,
    idempotent: true,
  }),
  operation('move', {
    title: 'Move messages',
    description: 'Moves messages into another box.',
    output: mailMany,
    idempotent: true,
  }),
  operation('archive', {
    title: 'Archive messages',
    description: 'Puts finished messages into the archive.',
    output: mailMany,
    idempotent: true,
  }),
];
