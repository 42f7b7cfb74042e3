import { commandLine, notFound, unsupported } from '../../../base/index.ts';
import { type MailMessage, OPERATOR, SENT } from '../../../domain/index.ts';
import type { Handlers } from '../../../http/index.ts';
import type { Mailbox } from '../../../mail/index.ts';
import { announcedIn, sessionPaths } from '../../../session/index.ts';
import type { PageMessage } from '../../../wire/index.ts';
import { download } from './download.ts';
import type { Call, MailHandlerParts, MailRoutes } from './mail-parts.ts';
import { sendHandlers } from './send-handlers.ts';
import { sortHandlers } from './sort-handlers.ts';

/** Longer bodies are read with the command line. */
const MAX_SHOWN_LENGTH = 200_000;
const MAX_THREAD_MESSAGES = 200;

/** What there is, for everyone with a session. */
function listHandlers({ door, mail }: MailHandlerParts) {
  return {
    'page.mailboxes': ({ context }: Call<'page.mailboxes'>) => {
      door.require(context);
      return mail.list();
    },
    'page.mail.list': async ({ context, query }: Call<'page.mail.list'>) => {
      door.require(context);
      const { unread, files, box = null, cursor = null, ...wanted } = query();
      const { conversations, next_cursor } = await mail.conversations({
        ...wanted,
        mailbox: wanted.mailbox,
        q: wanted.q,
        box,
        cursor,
        unread: unread === 'true',
        files: files === 'true',
      });
      return {
        conversations: conversations.map(({ message, participants, ...each }) => ({
          ...each,
          message: named(message),
          participants: participants.map(asOperator),
        })),
        next_cursor,
        truncated: next_cursor !== null,
      };
    },
  };
}

/** One message or conversation, and what is known of it. */
function openedHandlers({ door, mail, readers }: MailHandlerParts) {
  return {
    'page.mail.message': async ({ context, query }: Call<'page.mail.message'>) => {
      door.require(context);
      const { mailbox: id, ref } = query();
      return mail.open(id, async (mailbox) => ({ message: shown(id, await mailbox.peek(ref)) }));
    },
    'page.mail.thread': async ({ context, query }: Call<'page.mail.thread'>) => {
      door.require(context);
      const { mailbox: id, thread } = query();
      return mail.open(id, async (mailbox, store) => {
        const found = store
          ? store.thread(id, thread, MAX_THREAD_MESSAGES + 1)
          : (await gather(mailbox, thread)).map((message) => ({
              message,
              held: [{ ...message, address: id }],
            }));
        if (found.length === 0) throw notFound(`there is no thread ${thread} in ${id}`);
        const newest = found.slice(-MAX_THREAD_MESSAGES);
        const own = newest.filter(({ held }) => held.some(({ address }) => address === id));
        const received = own.filter(({ message: { box } }) => box !== SENT);
        return {
          messages: newest.map(({ message }) => shown(id, message)),
          refs: (received.length > 0 ? received : own).map(({ message: { message_ref } }) => message_ref),
          truncated: found.length > newest.length,
        };
      });
    },
    'page.mail.receipts': async ({ context, query }: Call<'page.mail.receipts'>) => {
      door.require(context);
      const { mailbox: id, thread } = query();
      const isIn = await announcedIn();
      const messages = await mail.receipts(id, thread, ({ facts }, ref) => {
        const at = facts && sessionPaths(facts.root).gateway;
        if (at === undefined) return false;
        return readers.useIfThere(at, (records) => isIn(records, ref)) ?? false;
      });
      return { messages };
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

export function mailHandlers(parts: MailHandlerParts): Handlers<MailRoutes> {
  return { ...listHandlers(parts), ...openedHandlers(parts), ...sendHandlers(parts), ...sortHandlers(parts) };
}

/** Shows the operator under the page's name for people, not under the mailbox's first owner. */
const asOperator = <P extends { address: string }>(who: P): P =>
  who.address === OPERATOR.address ? { ...who, display_name: 'operator' } : who;

const named = <M extends Pick<MailMessage, 'sender' | 'to' | 'cc'>>(message: M): M => ({
  ...message,
  sender: asOperator(message.sender),
  to: message.to.map(asOperator),
  cc: message.cc.map(asOperator),
});

function shown(mailbox: string, message: MailMessage): PageMessage {
  const text = message.body_text ?? '';
  const cut = text.length > MAX_SHOWN_LENGTH;
  return {
    mailbox,
    ...named(message),
    body_text: cut ? text.slice(0, MAX_SHOWN_LENGTH) : text,
    body_cut: cut,
    command: commandLine`rouse mail peek --address ${mailbox} --message-ref ${message.message_ref}`,
  };
}

/** If no store knows threads: the part that the mailbox itself has. */
async function gather(mailbox: Mailbox, thread: string): Promise<MailMessage[]> {
  const boxes = mailbox.capabilities.sent_box ? ['inbox', 'archive', 'sent'] : ['inbox', 'archive'];
  const pages = await Promise.all(
    boxes.map((box) => mailbox.list({ box, limit: MAX_THREAD_MESSAGES, include_body: true })),
  );
  return pages
    .flatMap(({ messages }) => messages)
    .filter(({ thread_ref, message_ref }) => (thread_ref ?? message_ref) === thread || message_ref === thread)
    .sort((a, b) => a.created_at_utc.localeCompare(b.created_at_utc));
}
