import type { Context, Hono } from 'hono';
import type * as z from 'zod';
import type { Mailbox, MailSent } from '../../mailbox/index.ts';
import * as wire from '../../wire/index.ts';
import type { MailAccess } from '../mail/index.ts';
import { readBody } from './read-body.ts';

export interface MailRouteDependencies {
  mail: MailAccess;
  /** Mail is served on loopback only. */
  host: string;
}

/** The agent's own mail. Nothing here touches the request queue. */
export function mailRoutes(app: Hono, { mail, host }: MailRouteDependencies): void {
  const open = async (): Promise<Mailbox> => {
    if (host !== '127.0.0.1') {
      throw wire.refusal(
        'mail_loopback_only',
        `mail is served on 127.0.0.1 only, and this gateway listens on ${host}`,
      );
    }
    return mail.mailbox();
  };

  function post<S extends z.ZodType>(
    operation: string,
    schema: S,
    run: (mailbox: Mailbox, body: z.output<S>) => Promise<object>,
  ): void {
    app.post(`/v1/mail/${operation}`, async (context: Context) => {
      const { schema_version: _version, ...body } = (await readBody(context, schema)) as {
        schema_version: 1;
      };
      const mailbox = await open();
      return context.json({ ...prefix(mailbox), ...(await run(mailbox, body as z.output<S>)) });
    });
  }

  app.get('/v1/mail/status', async (context) => {
    const mailbox = await open();
    const { location, open_count, unread_count, set_aside_count, warnings } = await mailbox.status();
    return context.json({
      ...prefix(mailbox),
      bindings_version: mail.bindingsVersion(),
      location,
      open_count,
      unread_count,
      set_aside_count,
      warnings,
    });
  });
  for (const name of ['list', 'check']) post(name, wire.mailListBody, (mailbox, body) => mailbox.list(body));
  post('search', wire.mailSearchBody, (mailbox, { text, box, limit, include_body }) =>
    mailbox.search({ text, box, limit: limit ?? undefined, include_body }),
  );
  post('peek', wire.mailOneBody, async (mailbox, { message_ref, box }) => ({
    operation: 'peek',
    message: await mailbox.peek(message_ref, { box: box ?? null }),
  }));
  post('read', wire.mailOneBody, async (mailbox, { message_ref, box }) => ({
    operation: 'read',
    message: await mailbox.read(message_ref, { box: box ?? null }),
  }));
  post('send', wire.mailSendBody, async (mailbox, body) => sent('send', await mailbox.send(body)));
  post('post', wire.mailPostBody, async (mailbox, body) => sent('post', await mailbox.post(body)));
  post('reply', wire.mailReplyBody, async (mailbox, body) => sent('reply', await mailbox.reply(body)));
  post('mark', wire.mailMarkBody, async (mailbox, body) => many('mark', await mailbox.mark(body)));
  post('move', wire.mailMoveBody, async (mailbox, { message_refs, destination_box }) =>
    many('move', await mailbox.move(message_refs, destination_box)),
  );
  post('archive', wire.mailArchiveBody, async (mailbox, { message_refs }) =>
    many('archive', await mailbox.archive(message_refs)),
  );
}

function prefix({ transport, principal_id, address }: Mailbox) {
  return { schema_version: 1, transport, principal_id, address };
}

function sent(operation: string, { message, duplicate }: MailSent) {
  return { operation, message, ...(duplicate && { duplicate }) };
}

function many(operation: string, messages: object[]) {
  return { operation, message_count: messages.length, messages };
}
