import type { MailMessage, MailOperationInput, MailOperationName } from '../domain/index.ts';
import type { Mailbox, MailSent } from './port.ts';
import { checkOperation } from './schema/index.ts';

/** What each operation does with a mailbox and its checked input, and what it answers. */
const RUN: {
  [Name in MailOperationName]: (mailbox: Mailbox, input: MailOperationInput<Name>) => Promise<object>;
} = {
  list: (mailbox, query) => mailbox.list(query),
  check: (mailbox, query) => mailbox.list(query),
  search: (mailbox, query) => mailbox.search(query),
  peek: async (mailbox, { message_ref, box }) => ({
    operation: 'peek',
    message: await mailbox.peek(message_ref, { box: box ?? null }),
  }),
  read: async (mailbox, { message_ref, box }) => ({
    operation: 'read',
    message: await mailbox.read(message_ref, { box: box ?? null }),
  }),
  send: async (mailbox, draft) => sent('send', await mailbox.send(draft)),
  post: async (mailbox, post) => sent('post', await mailbox.post(post)),
  reply: async (mailbox, reply) => sent('reply', await mailbox.reply(reply)),
  mark: async (mailbox, mark) => many('mark', await mailbox.mark(mark)),
  move: async (mailbox, { message_refs, destination_box }) =>
    many('move', await mailbox.move(message_refs, destination_box)),
  archive: async (mailbox, { message_refs }) => many('archive', await mailbox.archive(message_refs)),
};

/** One operation by its name, as every door asks for it. */
export async function runMail(mailbox: Mailbox, name: MailOperationName, input: unknown): Promise<object> {
  const run = RUN[name] as (mailbox: Mailbox, input: object) => Promise<object>;
  return run(mailbox, checkOperation(name, input));
}

function sent(operation: string, { message, duplicate, held }: MailSent): object {
  return { operation, message, ...(duplicate && { duplicate }), ...(held && { held }) };
}

function many(operation: string, messages: MailMessage[]): object {
  return { operation, message_count: messages.length, messages };
}
