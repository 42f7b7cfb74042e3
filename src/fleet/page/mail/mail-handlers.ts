import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import * as path from 'node:path';
import { Readable } from 'node:stream';
import {
  commandLine,
  conflict,
  invalid,
  isRouseError,
  notFound,
  openRegular,
  unsupported,
  utcStamp,
} from '../../../base/index.ts';
import {
  type MailAttachment,
  type MailMessage,
  type NewAttachment,
  OPERATOR,
  type PageRight,
} from '../../../domain/index.ts';
import type { Handlers } from '../../../http/index.ts';
import type { Mailbox, MailSent, MailStore } from '../../../mail/index.ts';
import type { AllMail, HostMail } from '../../../session/index.ts';
import type { PAGE_ROUTES, PageMailSent, PageMessage } from '../../../wire/index.ts';
import type { AgentReach } from '../agents/agent-reach.ts';
import type { Doing } from '../doing.ts';
import type { PageDoor } from '../door/page-door.ts';
import { PAGE_HEADERS } from '../door/shell.ts';

type MailRoutes = Pick<
  typeof PAGE_ROUTES,
  | 'page.mailboxes'
  | 'page.mail.list'
  | 'page.mail.message'
  | 'page.mail.thread'
  | 'page.mail.attachment'
  | 'page.mail.send'
  | 'page.mail.reply'
  | 'page.mail.archive'
  | 'page.mail.mark'
>;

/** Longer bodies are read with the command line. */
const MAX_SHOWN_LENGTH = 200_000;
const MAX_THREAD_MESSAGES = 200;

export interface MailHandlerParts {
  door: PageDoor;
  doing: Doing;
  mail: HostMail;
  reach: AgentReach;
}

type Call<K extends keyof MailRoutes> = Parameters<Handlers<MailRoutes>[K]>[0];

/** Reading, for everyone with a session. */
function readingHandlers({ door, mail }: MailHandlerParts) {
  return {
    'page.mailboxes': ({ context }: Call<'page.mailboxes'>) => {
      door.require(context);
      return mail.list();
    },
    'page.mail.list': async ({ context, query }: Call<'page.mail.list'>) => {
      door.require(context);
      const { mailbox: id, box = null, q, unread, cursor = null, limit } = query();
      if (id === undefined)
        return listedMail(await mail.all({ box, q, unread: unread === 'true', cursor, limit }));
      return mail.open(id, async (mailbox) => {
        const read_state = unread === 'true' ? ('unread' as const) : ('any' as const);
        const { messages, next_cursor, truncated } = q?.trim()
          ? await mailbox.search({ text: q, box, limit, cursor })
          : await mailbox.list({ box, read_state, limit, cursor });
        return {
          messages: messages.map((message) => ({ mailbox: id, ...named(message) })),
          next_cursor,
          truncated,
        };
      });
    },
    'page.mail.message': async ({ context, query }: Call<'page.mail.message'>) => {
      door.require(context);
      const { mailbox: id, ref } = query();
      return mail.open(id, async (mailbox, store) => {
        const message = await mailbox.peek(ref);
        const held = store
          ?.thread(id, message.thread_ref ?? ref, MAX_THREAD_MESSAGES)
          .find((each) => each.message.message_ref === message.message_ref)?.held;
        return { message: shown(id, message, held) };
      });
    },
    'page.mail.thread': async ({ context, query }: Call<'page.mail.thread'>) => {
      door.require(context);
      const { mailbox: id, thread } = query();
      return mail.open(id, async (mailbox, store) => {
        const found = store
          ? store.thread(id, thread, MAX_THREAD_MESSAGES + 1)
          : await gather(mailbox, thread);
        if (found.length === 0) throw notFound(`there is no thread ${thread} in ${id}`);
        const messages = found
          .slice(0, MAX_THREAD_MESSAGES)
          .map(({ message, held }) => shown(id, message, held));
        return { messages, truncated: found.length > MAX_THREAD_MESSAGES };
      });
    },
    'page.mail.attachment': async ({ context, query }: Call<'page.mail.attachment'>) => {
      door.require(context);
      const { mailbox: id, ref, attachment: wanted } = query();
      return mail.open(id, async (mailbox) => {
        const { attachments } = await mailbox.peek(ref);
        const found = attachments.find(({ attachment_id }) => attachment_id === wanted);
        if (!found) throw notFound(`the message has no attachment ${wanted}`);
        // A reference may name any file of the account, so reading it needs the right to operate agents.
        if (found.kind !== 'managed_copy') door.require(context, 'operate');
        if (!found.locator)
          throw unsupported('this attachment is kept elsewhere', { hint: 'use the command line' });
        return download({ ...found, locator: found.locator });
      });
    },
  };
}

function listedMail({ listed, next_cursor }: AllMail) {
  const messages = listed.map(({ mailbox, message }) => ({ mailbox, ...named(message) }));
  return { messages, next_cursor, truncated: next_cursor !== null };
}

/** Writing, as the operator. */
function sendingHandlers({ door, doing, mail, reach }: MailHandlerParts) {
  return {
    'page.mail.send': async ({ context, body }: Call<'page.mail.send'>) => {
      const session = door.require(context, 'write');
      const { action_id: actionId, to, subject, body: text, attachments } = await body();
      const act = {
        action: 'mail.send',
        target: to.join(', '),
        actionId,
        asked: { subject, text },
        repeatable: true,
      };
      return doing.once(session, act, async () => {
        const far = await Promise.all(to.map((each) => reach.gatewayElsewhere(each, session)));
        const near = to.filter((_, at) => far[at] === undefined);
        const found = await Promise.all(near.map((each) => mail.addressOf(each)));
        const message = { subject, body_content: text, attachments, idempotency_key: actionId };
        const outside = found.flatMap(({ outside: id }) => id ?? []);
        const notes = far.flatMap((gateway) => gateway ?? []);
        if (attachments.length > 0 && outside.length + notes.length > 0)
          throw invalid('files can be sent to mailboxes of this host only; nothing was sent', {
            hint: 'send the message without them',
          });
        const { attachments: _, ...note } = message;
        for (const gateway of notes) await gateway.call('mail.post', { body: note });
        // Mailboxes of another kind get operator notes, one each.
        for (const id of outside)
          await mail.open(id, (mailbox) => mailbox.post({ ...message, attachments: [] }));
        const inside = found.filter(({ outside: id }) => id === undefined).map(({ address }) => address);
        if (inside.length === 0)
          return sent(actionId, outside[0] ?? OPERATOR.address, undefined, to, doing.now());
        const answer = await mail.asOperator((own) => own.send({ ...message, to: inside }));
        return sent(actionId, OPERATOR.address, answer, to, doing.now());
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

/** Changes what is in a mailbox: one's own with `write`, an agent's with `operate`. */
function sortingHandlers({ door, doing, mail }: MailHandlerParts) {
  const rightFor = (id: string): PageRight => (id === OPERATOR.address ? 'write' : 'operate');
  return {
    'page.mail.archive': async ({ context, body }: Call<'page.mail.archive'>) => {
      door.require(context, 'write');
      const { action_id: actionId, mailbox: id, refs } = await body();
      const session = door.require(context, rightFor(id));
      const act = { action: 'mail.archive', target: id, actionId, asked: refs, repeatable: true };
      return doing.receipt(session, act, async () => {
        const { length } = await mail.open(id, (mailbox) => mailbox.archive(refs));
        return {
          sentence: `${length === 1 ? '1 message is' : `${length} messages are`} in the archive of ${id}.`,
        };
      });
    },
    'page.mail.mark': async ({ context, body }: Call<'page.mail.mark'>) => {
      door.require(context, 'write');
      const { action_id: actionId, mailbox: id, refs, read } = await body();
      const session = door.require(context, rightFor(id));
      const act = { action: 'mail.mark', target: id, actionId, asked: { refs, read }, repeatable: true };
      return doing.receipt(session, act, async () => {
        await mail.open(id, (mailbox) => mailbox.mark({ message_refs: refs, read }));
        return { sentence: `Marked as ${read ? 'read' : 'unread'}.` };
      });
    },
  };
}

export function mailHandlers(parts: MailHandlerParts): Handlers<MailRoutes> {
  return { ...readingHandlers(parts), ...sendingHandlers(parts), ...sortingHandlers(parts) };
}

/** Shows the operator under the page's name for people, not under the mailbox's first owner. */
function named<M extends Pick<MailMessage, 'sender' | 'to' | 'cc'>>(message: M): M {
  const name = <P extends { address: string }>(who: P): P =>
    who.address === OPERATOR.address ? { ...who, display_name: 'operator' } : who;
  return { ...message, sender: name(message.sender), to: message.to.map(name), cc: message.cc.map(name) };
}

type MailboxFlags = { address: string; read: boolean; answered: boolean }[];

function shown(mailbox: string, message: MailMessage, held: MailboxFlags = []): PageMessage {
  const text = message.body_text ?? '';
  const cut = text.length > MAX_SHOWN_LENGTH;
  return {
    mailbox,
    ...named(message),
    body_text: cut ? text.slice(0, MAX_SHOWN_LENGTH) : text,
    body_cut: cut,
    delivered: [...message.to, ...message.cc].map(({ address }) => {
      const state = held.find((each) => each.address === address);
      return { address, read: state?.read ?? null, answered: state?.answered ?? null, agent: null };
    }),
    command: commandLine`rouse mail peek --address ${mailbox} --message-ref ${message.message_ref}`,
  };
}

/** If no store knows threads: the part that the mailbox itself has. */
async function gather(
  mailbox: Mailbox,
  thread: string,
): Promise<{ message: MailMessage; held: MailboxFlags }[]> {
  const boxes = mailbox.capabilities.sent_box ? ['inbox', 'archive', 'sent'] : ['inbox', 'archive'];
  const pages = await Promise.all(
    boxes.map((box) => mailbox.list({ box, limit: MAX_THREAD_MESSAGES, include_body: true })),
  );
  return pages
    .flatMap(({ messages }) => messages)
    .filter(({ thread_ref, message_ref }) => (thread_ref ?? message_ref) === thread || message_ref === thread)
    .sort((a, b) => a.created_at_utc.localeCompare(b.created_at_utc))
    .map((message) => ({ message, held: [] }));
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

type StoredAttachment = MailAttachment & { locator: string };

/** The browser never displays the file itself, whatever it is. */
async function download({
  locator,
  label = path.basename(locator),
  kind,
  sha256,
}: StoredAttachment): Promise<Response> {
  const opened = await openRegular(locator, kind === 'managed_copy' ? ownPlace(locator) : undefined);
  if ('refused' in opened)
    throw notFound(
      opened.refused === 'missing'
        ? 'the attached file is no longer there'
        : 'the attachment is not a file any more',
    );
  const { handle, size } = opened;
  // The file behind a reference may have been replaced since. Only what was sent is handed out.
  if (kind === 'path_ref' && (await digestOf(handle)) !== sha256) {
    await handle.close();
    throw conflict('the attached file was changed after the message was written', {
      hint: 'ask for it to be sent again, with --attach-copy',
    });
  }
  const name = encodeURIComponent(label).replaceAll("'", '%27');
  return new Response(Readable.toWeb(handle.createReadStream({ start: 0 })) as ReadableStream<Uint8Array>, {
    headers: {
      ...PAGE_HEADERS,
      'content-security-policy': "sandbox; default-src 'none'",
      'content-type': 'application/octet-stream',
      'content-length': String(size),
      'content-disposition': `attachment; filename*=UTF-8''${name}`,
    },
  });
}

/** Our copy is in a directory of its own, and no link leads out of it. */
const ownPlace = (locator: string) => ({ directory: path.dirname(locator), except: [] });

async function digestOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of handle.createReadStream({ start: 0, autoClose: false })) hash.update(piece);
  return hash.digest('hex');
}
