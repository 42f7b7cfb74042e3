import { invalid } from '../../base/index.ts';
import { type MailMessage, OPERATOR } from '../../domain/index.ts';
import type { Mailbox, MailStore } from '../../mail/index.ts';

/** Where the mail of a host is: its own store, and mailboxes outside it, by id. */
export interface MailSources {
  withStore<T>(work: (store: MailStore) => Promise<T> | T): Promise<T | undefined>;
  outsideIds(): Promise<string[]>;
  open<T>(id: string, work: (mailbox: Mailbox) => Promise<T>): Promise<T>;
}

export interface AllMailQuery {
  box: string | null;
  q: string | undefined;
  unread: boolean;
  cursor: string | null;
  limit: number;
}

interface Listed {
  mailbox: string;
  message: MailMessage;
}

export interface AllMail {
  listed: Listed[];
  next_cursor: string | null;
}

/** How many of the newest messages are read from a mailbox outside the host's own store. */
export const OUTSIDE = 200;

/**
 * Lists the mail of every mailbox of the host, newest first, each message once. Pages follow the host's own store; mail
 * of other stores is merged by time.
 */
export async function allMail(mail: MailSources, wanted: AllMailQuery): Promise<AllMail> {
  const { box, unread, limit } = wanted;
  const { after, cursor } = readCursor(wanted.cursor);
  const text = wanted.q?.trim() || undefined;
  const page = await mail.withStore((store) =>
    store.all({ box, unread, text, cursor, limit, first: OPERATOR.address }),
  );
  const own = (page?.messages ?? []).map(({ address, message }) => ({ mailbox: address, message }));
  const next = page?.nextCursor ?? null;
  const oldest = next === null ? '' : own.at(-1)!.message.created_at_utc;
  const outside = (await outsideMail(mail, { ...wanted, text })).filter(
    ({ message: { created_at_utc: at } }) => at >= oldest && (after === undefined || at < after),
  );
  const listed = [...own, ...outside].sort((a, b) =>
    b.message.created_at_utc.localeCompare(a.message.created_at_utc),
  );
  return { listed, next_cursor: pageCursor(next, oldest) };
}

export const pageCursor = (next: string | null, oldest: string): string | null =>
  next === null ? null : `${next}~${oldest}`;

/** The store's cursor, and the time down to which mail of other stores was shown. */
export function readCursor(text: string | null): { cursor: string | null; after: string | undefined } {
  if (text === null) return { cursor: null, after: undefined };
  const [, cursor, after] = /^(\d{1,15})~([\dTZ:.+-]{1,40})$/.exec(text) ?? [];
  if (cursor === undefined) throw invalid('cursor must be the next_cursor of an earlier page');
  return { cursor, after };
}

interface OutsideMailQuery extends AllMailQuery {
  text: string | undefined;
}

async function outsideMail(mail: MailSources, wanted: OutsideMailQuery): Promise<Listed[]> {
  const found = new Map<string, Listed>();
  for (const id of await mail.outsideIds()) {
    // A mailbox that cannot be read is reported in the list of mailboxes; the others are shown.
    const messages = await mail.open(id, (mailbox) => newest(mailbox, wanted)).catch(() => []);
    for (const message of messages)
      if (!found.has(message.message_ref)) found.set(message.message_ref, { mailbox: id, message });
  }
  return [...found.values()];
}

async function newest(mailbox: Mailbox, { box, text, unread }: OutsideMailQuery): Promise<MailMessage[]> {
  const { search, sent_box } = mailbox.capabilities;
  if (text !== undefined) return search ? (await mailbox.search({ text, box, limit: OUTSIDE })).messages : [];
  const boxes = box === null ? ['inbox', 'archive', ...(sent_box ? ['sent'] : [])] : [box];
  const read_state = unread ? 'unread' : 'any';
  const pages = await Promise.all(
    boxes.map((each) => mailbox.list({ box: each, read_state, limit: OUTSIDE })),
  );
  return pages.flatMap(({ messages }) => messages);
}
