import type * as z from 'zod';
import type { Mailbox, MailSent } from '../../mail/index.ts';
import * as wire from '../../wire/index.ts';
import { storeFailure } from './mail-access.ts';

type Run = (mailbox: Mailbox) => Promise<object>;

/** Checks a body of that schema and answers with what is to be done with a mailbox. */
const operation =
  <S extends z.ZodType>(
    schema: S,
    run: (mailbox: Mailbox, body: Omit<z.output<S>, 'schema_version'>) => Promise<object>,
  ) =>
  (body: unknown): Run => {
    const { schema_version: _version, ...checked } = wire.parseBody(schema, body) as { schema_version: 1 };
    return (mailbox) => run(mailbox, checked as Omit<z.output<S>, 'schema_version'>);
  };

/** What can be asked of the agent's own mailbox: over HTTP, and by the command line when no gateway runs. */
const OPERATIONS = {
  list: operation(wire.mailListBody, (mailbox, query) => mailbox.list(query)),
  check: operation(wire.mailListBody, (mailbox, query) => mailbox.list(query)),
  search: operation(wire.mailSearchBody, (mailbox, { text, box, limit, include_body }) =>
    mailbox.search({ text, box, limit: limit ?? undefined, include_body }),
  ),
  peek: operation(wire.mailOneBody, async (mailbox, { message_ref, box }) => ({
    operation: 'peek',
    message: await mailbox.peek(message_ref, { box: box ?? null }),
  })),
  read: operation(wire.mailOneBody, async (mailbox, { message_ref, box }) => ({
    operation: 'read',
    message: await mailbox.read(message_ref, { box: box ?? null }),
  })),
  send: operation(wire.mailSendBody, async (mailbox, body) => sent('send', await mailbox.send(body))),
  post: operation(wire.mailPostBody, async (mailbox, body) => sent('post', await mailbox.post(body))),
  reply: operation(wire.mailReplyBody, async (mailbox, body) => sent('reply', await mailbox.reply(body))),
  mark: operation(wire.mailMarkBody, async (mailbox, body) => many('mark', await mailbox.mark(body))),
  move: operation(wire.mailMoveBody, async (mailbox, { message_refs, destination_box }) =>
    many('move', await mailbox.move(message_refs, destination_box)),
  ),
  archive: operation(wire.mailArchiveBody, async (mailbox, { message_refs }) =>
    many('archive', await mailbox.archive(message_refs)),
  ),
};

export type MailOperationName = keyof typeof OPERATIONS;

export const MAIL_OPERATIONS = Object.keys(OPERATIONS) as MailOperationName[];

/** The body is checked before the mailbox is asked for, so that a wrong one is refused whatever state the store is in. */
export async function runMailOperation(
  name: MailOperationName,
  body: unknown,
  open: () => Promise<Mailbox>,
): Promise<object> {
  const run = OPERATIONS[name](body);
  const mailbox = await open();
  return { ...prefix(mailbox), ...(await asTransport(mailbox, () => run(mailbox))) };
}

export async function mailStatusView(mailbox: Mailbox, bindingsVersion: string): Promise<wire.MailStatus> {
  const status = await asTransport(mailbox, () => mailbox.status());
  const { location, open_count, unread_count, set_aside_count, warnings } = status;
  return {
    ...prefix(mailbox),
    bindings_version: bindingsVersion,
    location,
    open_count,
    unread_count,
    set_aside_count,
    warnings,
  };
}

async function asTransport<T>({ address }: Mailbox, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeFailure(error, address);
  }
}

function prefix({ transport, principal_id, address }: Mailbox) {
  return {
    schema_version: 1 as const,
    transport: transport as wire.MailStatus['transport'],
    principal_id,
    address,
  };
}

function sent(name: string, { message, duplicate }: MailSent) {
  return { operation: name, message, ...(duplicate && { duplicate }) };
}

function many(name: string, messages: object[]) {
  return { operation: name, message_count: messages.length, messages };
}
