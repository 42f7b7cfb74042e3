import type { MailDraft, MailOperationName } from '../../domain/index.ts';
import { type FileAccess, type Mailbox, runMail } from '../../mail/index.ts';
import { MAIL_BODIES, type MailStatus, parseBody } from '../../wire/mail-bodies.ts';
import { storeFailure } from './mail-access.ts';

/** What an operation needs from where it runs. */
export interface MailSurroundings {
  open: () => Promise<Mailbox>;
  files: FileAccess;
  /** The mail address of a recipient as the agent calls it. Default: every recipient is an address already. */
  recipientAddress?: (to: string) => Promise<string>;
}

/**
 * Runs one operation on the agent's own mailbox: over HTTP, and by the command line when no gateway runs. The body is checked
 * before the mailbox is opened, so that a wrong one is refused whatever state the store is in.
 */
export async function runMailOperation(
  name: MailOperationName,
  body: unknown,
  { open, files, recipientAddress }: MailSurroundings,
): Promise<object> {
  const { schema_version: _version, ...given } = parseBody(MAIL_BODIES[name], body);
  const input = 'to' in given && recipientAddress ? await addressed(given, recipientAddress) : given;
  const mailbox = await open();
  return {
    ...prefix(mailbox),
    ...(await asTransport(mailbox, () => runMail(mailbox, name, { input, files }))),
  };
}

async function addressed<D extends Pick<MailDraft, 'to' | 'cc'>>(
  draft: D,
  recipientAddress: (to: string) => Promise<string>,
): Promise<D> {
  const all = (of: readonly string[]): Promise<string[]> => Promise.all(of.map(recipientAddress));
  return { ...draft, to: await all(draft.to), cc: await all(draft.cc ?? []) };
}

export async function mailStatusView(mailbox: Mailbox, bindingsVersion: string): Promise<MailStatus> {
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
    transport,
    principal_id,
    address,
  };
}
