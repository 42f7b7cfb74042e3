import { type MailOperationName, waitsDocument } from '../../domain/index.ts';
import { type Call, type Handler, type Handlers, readJson } from '../../http/index.ts';
import type { FileAccess, Mailbox } from '../../mail/index.ts';
import { type AnswerOf, type GatewayRoutes, refusal } from '../../wire/index.ts';
import { type MailAccess, mailStatusView, runMailOperation, servesMail } from '../mail/index.ts';
import { callersOf, filesFor } from './caller.ts';

export interface MailHandlerDependencies {
  mail: MailAccess;
  /** Mail is served on loopback only. */
  host: string;
  /** Files that callers other than the owner may attach by their path. */
  sharedFiles: () => FileAccess;
  recipientAddress: (to: string) => Promise<string>;
}

type MailRoutes = Pick<GatewayRoutes, 'mail.status' | 'mail.waits' | `mail.${MailOperationName}`>;

/** The agent's own mail. Nothing here touches the request queue. */
export function mailHandlers(rooms: MailHandlerDependencies): Handlers<MailRoutes> {
  const { mail, sharedFiles, recipientAddress } = rooms;
  const open = openServed(rooms);
  /** The operation checks the body itself, because the command line calls it too. */
  const run =
    <N extends MailOperationName>(name: N): Handler<MailRoutes[`mail.${N}`]> =>
    async ({ context }: Call<MailRoutes[`mail.${N}`]>) =>
      (await runMailOperation(name, await readJson(context), {
        open,
        files: filesFor(callersOf(context), sharedFiles),
        recipientAddress,
      })) as AnswerOf<MailRoutes[`mail.${N}`]>;

  return {
    'mail.status': async () => mailStatusView(await open(), mail.bindingsVersion()),
    'mail.waits': async () => waitsDocument((await (await open()).waits?.list()) ?? [], new Date()),
    'mail.list': run('list'),
    'mail.check': run('check'),
    'mail.search': run('search'),
    'mail.peek': run('peek'),
    'mail.read': run('read'),
    'mail.send': run('send'),
    'mail.post': run('post'),
    'mail.reply': run('reply'),
    'mail.mark': run('mark'),
    'mail.move': run('move'),
    'mail.archive': run('archive'),
  };
}

/** Opens the mailbox, unless the gateway listens where mail is not served. */
export function openServed({
  mail,
  host,
}: Pick<MailHandlerDependencies, 'mail' | 'host'>): () => Promise<Mailbox> {
  return async () => {
    if (servesMail(host)) return mail.mailbox();
    throw refusal(
      'mail_loopback_only',
      `mail is served on 127.0.0.1 only, and this gateway listens on ${host}`,
    );
  };
}
