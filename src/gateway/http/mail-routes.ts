import type { Hono } from 'hono';
import { readJson } from '../../http/index.ts';
import type { Mailbox } from '../../mail/index.ts';
import { refusal } from '../../wire/index.ts';
import {
  MAIL_OPERATIONS,
  type MailAccess,
  mailStatusView,
  runMailOperation,
  servesMail,
} from '../mail/index.ts';

export interface MailRouteDependencies {
  mail: MailAccess;
  /** Mail is served on loopback only. */
  host: string;
}

/** The agent's own mail. Nothing here touches the request queue. */
export function mailRoutes(app: Hono, { mail, host }: MailRouteDependencies): void {
  const open = async (): Promise<Mailbox> => {
    if (!servesMail(host)) {
      throw refusal(
        'mail_loopback_only',
        `mail is served on 127.0.0.1 only, and this gateway listens on ${host}`,
      );
    }
    return mail.mailbox();
  };

  app.get('/v1/mail/status', async (context) =>
    context.json(await mailStatusView(await open(), mail.bindingsVersion())),
  );
  for (const name of MAIL_OPERATIONS) {
    app.post(`/v1/mail/${name}`, async (context) =>
      context.json(await runMailOperation(name, await readJson(context), open)),
    );
  }
}
