import { type MailMessage, OPERATOR } from '../../domain/index.ts';
import type { Conversation, Mailbox, MailFilter } from '../../mail/index.ts';
import { type MailSources, OUTSIDE, pageCursor, readCursor } from './all-mail.ts';

export interface ConversationsQuery extends MailFilter {
  /** Undefined: every mailbox of the host. */
  mailbox: string | undefined;
  q: string | undefined;
  cursor: string | null;
  limit: number;
}

/** A conversation, and the id of the mailbox that shows it. */
export type ListedConversation = Omit<Conversation, 'address'> & { mailbox: string };

export interface ConversationList {
  conversations: ListedConversation[];
  next_cursor: string | null;
}

/**
 * One row per thread, newest first. Pages follow the host's own store; conversations of other stores are merged by time.
 */
export async function conversations(
  mail: MailSources,
  wanted: ConversationsQuery,
): Promise<ConversationList> {
  const { limit, q, mailbox, ...filter } = wanted;
  const outsideIds = await mail.outsideIds();
  const isOutside = mailbox !== undefined && outsideIds.includes(mailbox);
  const { cursor, after } = readCursor(wanted.cursor);
  const text = q?.trim() || undefined;
  const page = isOutside
    ? undefined
    : await mail.withStore((store) =>
        store.conversations({ ...filter, mailbox, text, cursor, limit, first: OPERATOR.address }),
      );
  const own = (page?.conversations ?? []).map(({ address, ...each }) => ({ mailbox: address, ...each }));
  const next = page?.nextCursor ?? null;
  const oldest = next === null ? '' : own.at(-1)!.message.created_at_utc;
  const ids = mailbox === undefined ? outsideIds : isOutside ? [mailbox] : [];
  const outside = await Promise.all(
    ids.map((id) =>
      // A mailbox that cannot be read is reported in the list of mailboxes; the others are shown.
      mail
        .open(id, (opened) => fromOutside(opened, { id, text, filter }))
        .catch((error) => {
          if (isOutside) throw error;
          return [];
        }),
    ),
  );
  const merged = outside
    .flat()
    .filter(({ message: { created_at_utc: at } }) => at >= oldest && (after === undefined || at < after));
  return {
    conversations: [...own, ...merged].sort((a, b) =>
      b.message.created_at_utc.localeCompare(a.message.created_at_utc),
    ),
    next_cursor: pageCursor(next, oldest),
  };
}

interface Outside {
  id: string;
  text: string | undefined;
  filter: MailFilter;
}

async function fromOutside(mailbox: Mailbox, { id, text, filter }: Outside): Promise<ListedConversation[]> {
  const { search, sent_box } = mailbox.capabilities;
  if (text !== undefined && !search) return [];
  const boxes = ['inbox', 'archive', ...(sent_box ? ['sent'] : [])];
  const all = (await Promise.all(boxes.map((box) => mailbox.list({ box, limit: OUTSIDE })))).flatMap(
    ({ messages }) => messages,
  );
  const found = text === undefined ? all : (await mailbox.search({ text, limit: OUTSIDE })).messages;
  const threads = new Map<string, ListedConversation>();
  for (const message of found.filter((each) => matches(each, filter)).sort(newestFirst)) {
    const thread = threadOf(message);
    if (!threads.has(thread))
      threads.set(thread, {
        mailbox: id,
        message,
        ...summary(all.filter((each) => threadOf(each) === thread)),
      });
  }
  return [...threads.values()];
}

const threadOf = ({ thread_ref, message_ref }: MailMessage): string => thread_ref ?? message_ref;

const newestFirst = (a: MailMessage, b: MailMessage): number =>
  b.created_at_utc.localeCompare(a.created_at_utc);

function matches(
  message: MailMessage,
  { box, unread, answered, from, to, since, files }: MailFilter,
): boolean {
  const isNamed = (people: MailMessage['to'], part: string): boolean =>
    people.some(({ address, display_name }) =>
      `${address}\n${display_name ?? ''}`.toLowerCase().includes(part.toLowerCase()),
    );
  return (
    (box === null || message.box === box) &&
    (!unread || message.unread) &&
    (answered === 'any' || message.answered === (answered === 'answered')) &&
    (from === undefined || isNamed([message.sender], from)) &&
    (to === undefined || isNamed([...message.to, ...message.cc], to)) &&
    (since === undefined || Date.parse(message.created_at_utc) >= Date.parse(since)) &&
    (!files || message.attachments.length > 0)
  );
}

function summary(messages: MailMessage[]): Omit<ListedConversation, 'mailbox' | 'message'> {
  const received = messages.filter(({ box }) => box !== 'sent');
  const people = messages.toSorted((a, b) => -newestFirst(a, b));
  const participants = new Map(
    people.flatMap(({ sender, to, cc }) => [sender, ...to, ...cc]).map((each) => [each.address, each]),
  );
  return {
    count: messages.length,
    unread: messages.filter(({ unread }) => unread).length,
    archived: received.length > 0 && received.every((each) => each.archived),
    participants: [...participants.values()],
    refs: (received.length > 0 ? received : messages).sort(newestFirst).map(({ message_ref }) => message_ref),
  };
}
