import type { MailMessage, MailOperationInput, MailOperationName } from '../domain/index.ts';
import type { FileAccess } from './file-access.ts';
import type { Mailbox, MailSent } from './port.ts';
import { checkOperation } from './schema/index.ts';

/** Runs each operation on a mailbox with checked input, and shapes its result. */
const RUN: {
  [Name in MailOperationName]: (
    mailbox: Mailbox,
    input: MailOperationInput<Name>,
    files: FileAccess,
  ) => Promise<object>;
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
  send: async (mailbox, draft, files) => sent('send', await mailbox.send(draft, files)),
  post: async (mailbox, post, files) => sent('post', await mailbox.post(post, files)),
  reply: async (mailbox, reply, files) => sent('reply', await mailbox.reply(reply, files)),
  mark: async (mailbox, mark) => many('mark', await mailbox.mark(mark)),
  move: async (mailbox, { message_refs, destination_box }) =>
    many('move', await mailbox.move(message_refs, destination_box)),
  archive: async (mailbox, { message_refs }) => many('archive', await mailbox.archive(message_refs)),
};

/** Runs one operation by name. The caller knows who asks, and says which files may be read. */
export async function runMail(
  mailbox: Mailbox,
  name: MailOperationName,
  { input, files }: { input: unknown; files: FileAccess },
): Promise<object> {
  const run = RUN[name] as (mailbox: Mailbox, input: object, files: FileAccess) => Promise<object>;
  return run(mailbox, checkOperation(name, input), files);
}

function sent(operation: string, { message, duplicate, held }: MailSent): object {
  return { operation, message, ...(duplicate && { duplicate }), ...(held && { held }) };
}

function many(operation: string, messages: MailMessage[]): object {
  return { operation, message_count: messages.length, messages };
}
