import { invalid, isRouseError, utcStamp } from '../../../base/index.ts';
import { limit, type MailMessage, type NewAttachment, OPERATOR } from '../../../domain/index.ts';
import type { Mailbox, MailSent, MailStore } from '../../../mail/index.ts';
import type { HostMail } from '../../../session/index.ts';
import type { PageMailSent } from '../../../wire/index.ts';
import type { Session } from '../door/page-sessions.ts';
import { copiedBytes } from './download.ts';
import type { Call, MailHandlerParts } from './mail-parts.ts';

/** Writing, as the operator. */
export function sendHandlers(on: MailHandlerParts) {
  const { door, doing, mail } = on;
  return {
    'page.mail.send': async ({ context, body }: Call<'page.mail.send'>) => {
      const session = door.require(context, 'write');
      const { action_id: actionId, to, cc, subject, body: text, attachments, forward } = await body();
      const act = {
        action: 'mail.send',
        target: [...to, ...cc].join(', '),
        actionId,
        asked: { subject, text, cc, forward },
        repeatable: true,
      };
      return doing.once(session, act, async () => {
        const along = forward ? await copiesOf(mail, forward) : [];
        const message = {
          subject,
          body_content: text,
          attachments: [...attachments, ...along],
          idempotency_key: actionId,
        };
        return send(on, session, { to, cc, message, actionId });
      });
    },
    'page.mail.reply': async ({ context, body }: Call<'page.mail.reply'>) => {
      const session = door.require(context, 'write');
      const { action_id: actionId, mailbox: id, ref, body: text, attachments } = await body();
      const act = { action: 'mail.reply', target: ref, actionId, asked: { id, text }, repeatable: true };
      return doing.once(session, act, async () => {
        const message = { body_content: text, attachments, idempotency_key: actionId };
        const parent = await mail.open(id, (mailbox) => mailbox.peek(ref));
        const answer = await mail.asOperator((own, store) =>
          reply(own, store, { parent, mailbox: id }, message),
        );
        const to = answer.message.to.map(({ address }) => address);
        return sent(actionId, OPERATOR.address, answer, to, doing.now());
      });
    },
  };
}

interface Letter {
  to: string[];
  cc: string[];
  message: Outgoing & { subject: string };
  actionId: string;
}

/** To mailboxes of the host as one message; everyone else gets an operator note each. */
async function send(
  { mail, reach, doing }: MailHandlerParts,
  session: Session,
  { to, cc, message, actionId }: Letter,
): Promise<PageMailSent> {
  const all = [...to, ...cc];
  const far = await Promise.all(all.map((each) => reach.gatewayElsewhere(each, session)));
  const near = all.filter((_, at) => far[at] === undefined);
  const found = await Promise.all(near.map((each) => mail.addressOf(each)));
  const outside = found.flatMap(({ outside: id }) => id ?? []);
  const notes = far.flatMap((gateway) => gateway ?? []);
  if (message.attachments.length > 0 && outside.length + notes.length > 0)
    throw invalid('files can be sent to mailboxes of this host only; nothing was sent', {
      hint: 'send the message without them',
    });
  const { attachments: _, ...note } = message;
  for (const gateway of notes) await gateway.call('mail.post', { body: note });
  for (const id of outside) await mail.open(id, (mailbox) => mailbox.post({ ...message, attachments: [] }));
  const isCopy = new Set(cc.filter((each) => !to.includes(each)));
  const inside = near.flatMap((name, at) => {
    const { address, outside: id } = found[at]!;
    return id === undefined ? [{ address, copy: isCopy.has(name) }] : [];
  });
  if (inside.length === 0) return sent(actionId, outside[0] ?? OPERATOR.address, undefined, all, doing.now());
  const direct = inside.filter(({ copy }) => !copy).map(({ address }) => address);
  const copies = inside.filter(({ copy }) => copy).map(({ address }) => address);
  // A message has a recipient; with all of them elsewhere, those who get a copy are recipients.
  const answer = await mail.asOperator((own) =>
    own.send({
      ...message,
      ...(direct.length > 0 ? { to: direct, cc: copies } : { to: copies, cc: [] }),
    }),
  );
  return sent(actionId, OPERATOR.address, answer, all, doing.now());
}

/** What is kept with a message, as new attachments. A file that it only refers to may be anyone's, so it stays where it is. */
async function copiesOf(mail: HostMail, { mailbox, ref }: { mailbox: string; ref: string }) {
  const { attachments } = await mail.open(mailbox, (opened) => opened.peek(ref));
  const copies: NewAttachment[] = [];
  let left = limit('attachmentBytes');
  for (const { kind, locator, label, attachment_id, ...rest } of attachments) {
    if (kind !== 'managed_copy' || !locator) continue;
    const kept = { kind, locator, label, attachment_id, ...rest };
    const bytes = await copiedBytes(kept, left);
    left -= bytes.length;
    copies.push({ name: label ?? attachment_id, content_base64: bytes.toString('base64') });
  }
  return copies;
}

type Outgoing = { body_content: string; attachments: NewAttachment[]; idempotency_key: string };

/** Replies in the thread if the operator has the message; otherwise sends new mail to its sender and recipients. */
async function reply(
  own: Mailbox,
  store: MailStore,
  { parent, mailbox }: { parent: MailMessage; mailbox: string },
  message: Outgoing,
): Promise<MailSent> {
  try {
    return await own.reply({ message_ref: parent.message_ref, ...message });
  } catch (error) {
    if (!isRouseError(error) || (error.code !== 'not_found' && error.code !== 'invalid')) throw error;
    const known = new Set(
      store
        .registrations()
        .filter(({ status }) => status === 'active')
        .map(({ address }) => address),
    );
    const to = [...new Set([parent.sender.address, mailbox])].filter(
      (address) => address !== OPERATOR.address && known.has(address),
    );
    if (to.length === 0) throw error;
    const subject = /^re:/i.test(parent.subject) ? parent.subject : `Re: ${parent.subject}`;
    return own.send({ ...message, to, subject });
  }
}

function sent(
  action_id: string,
  mailbox: string,
  answer: MailSent | undefined,
  to: readonly string[],
  at: Date,
): PageMailSent {
  return {
    action_id,
    sentence: `Stored for ${to.join(', ')}; it wakes an agent whose wakes are on, as soon as it may be disturbed.`,
    at_utc: utcStamp(at),
    repeated: answer?.duplicate ?? false,
    mailbox,
    message_ref: answer?.message.message_ref ?? '',
    thread_ref: answer?.message.thread_ref ?? null,
  };
}
