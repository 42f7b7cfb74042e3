import { invalid, notFound } from '../../../src/base/index.ts';
import {
  ARCHIVE,
  boxOf,
  composeMail,
  composePost,
  composeReply,
  INBOX,
  isAgent,
  type MailDocument,
  type MailDraft,
  type MailMark,
  type MailMessage,
  type MailPost,
  type MailPrincipal,
  type MailQuery,
  type MailReply,
  type MailSearch,
  makeMailRef,
  parseBoxName,
  parseMailRef,
  parseMailRefs,
  SEARCH_LIMIT,
  sinceStamp,
} from '../../../src/domain/index.ts';
import { countPage, pageOf } from '../../../src/mail/page.ts';
import type {
  Mailbox,
  MailCapabilities,
  MailCounts,
  MailHint,
  MailPage,
  MailSent,
  MailStep,
} from '../../../src/mail/port.ts';
import { checkOperation } from '../../../src/mail/schema/index.ts';
import { textMatcher } from '../../../src/mail/search-terms.ts';
import { type MemoryEntry, type MemoryStore, TRANSPORT } from './memory-store.ts';
import { viewEntry } from './memory-view.ts';

/** One mailbox of a MemoryMail, behind the port. */
export class MemoryMailbox implements Mailbox {
  readonly transport: string;
  readonly address: string;
  readonly principal_id: string;
  readonly capabilities: MailCapabilities = {
    post: true,
    cc: true,
    attachments: false,
    sent_box: true,
    boxes: true,
    read_flag: true,
    answered_flag: true,
    unarchive: true,
    search: true,
  };
  #mail: MemoryStore;
  #self: MailPrincipal;

  constructor(mail: MemoryStore, self: MailPrincipal) {
    this.#mail = mail;
    this.transport = mail.transport;
    this.#self = self;
    this.address = self.address;
    this.principal_id = self.principal_id;
  }

  async status() {
    const { open_count, unread_count } = await this.count({ archived: false });
    const { transport, principal_id, address } = this;
    return {
      transport,
      principal_id,
      address,
      location: 'memory',
      open_count,
      unread_count,
      set_aside_count: 0,
      warnings: [],
    };
  }

  async version(): Promise<string> {
    return String(this.#mail.versions.get(this.address) ?? 0);
  }

  async list(input: MailQuery = {}): Promise<MailPage> {
    const query = checkOperation('list', input);
    return pageOf(boxOf(query), cut(this.#match(input), query));
  }

  async count(input: MailQuery = {}): Promise<MailCounts> {
    return countPage(this.#match(input).map((entry) => viewEntry(entry, false)));
  }

  async search(input: MailSearch): Promise<MailPage> {
    const { text, box, ...page } = checkOperation('search', input);
    const holds = textMatcher(text) ?? (() => false);
    const found = this.#newestFirst().filter(
      ({ document, box: at }) => (box == null || at === box) && holds(document.subject, document.body),
    );
    return pageOf(box ?? null, cut(found, { ...page, limit: page.limit ?? SEARCH_LIMIT }));
  }

  async peek(ref: string, { box }: { box?: string | null } = {}): Promise<MailMessage> {
    return viewEntry(this.#find(parseMailRef(TRANSPORT, ref), box), true);
  }

  async read(ref: string, { box }: { box?: string | null } = {}): Promise<MailMessage> {
    const entry = this.#find(parseMailRef(TRANSPORT, ref), box);
    if (!entry.read) this.#change([entry], () => ({ read: true }));
    return viewEntry(entry, true);
  }

  async trail(ref: string, most: number): Promise<MailStep[]> {
    const steps: MailStep[] = [];
    let next: string | null = parseMailRef(TRANSPORT, ref);
    while (next !== null && steps.length < most) {
      const document = this.#mail.document(next);
      if (!document) break;
      const { from, in_reply_to, created_at_utc } = document;
      if (!isAgent(from)) return [...steps, { created_at_utc, by: 'person' }];
      if (in_reply_to !== null) steps.push({ created_at_utc, by: 'agent' });
      next = in_reply_to;
    }
    return steps;
  }

  async send(input: MailDraft): Promise<MailSent> {
    const draft = checkOperation('send', input);
    const to = this.#mail.resolve(draft.to, 'to');
    const cc = this.#mail.resolve(draft.cc, 'cc');
    return this.#sent(
      composeMail({
        from: this.#self,
        to,
        cc,
        subject: draft.subject,
        body: draft.body_content,
        at: this.#mail.clock.now(),
        ...answers(draft),
      }),
    );
  }

  async post(input: MailPost): Promise<MailSent> {
    const post = checkOperation('post', input);
    const at = this.#mail.clock.now();
    return this.#sent(composePost({ to: this.#self, post, at, ...answers(post) }));
  }

  async reply(input: MailReply): Promise<MailSent> {
    const reply = checkOperation('reply', input);
    const parent = this.#find(parseMailRef(TRANSPORT, reply.message_ref));
    const { document } = parent;
    const sent = this.#sent(
      composeReply({
        from: this.#self,
        parent: document,
        body: reply.body_content,
        at: this.#mail.clock.now(),
        ...answers(reply),
      }),
    );
    if (!sent.duplicate) this.#change([parent], () => ({ read: true, answered: true }));
    return sent;
  }

  async mark(input: MailMark): Promise<MailMessage[]> {
    const { message_refs, read, answered, archived } = checkOperation('mark', input);
    return this.#changeRefs(message_refs, () => ({
      ...(read == null ? {} : { read }),
      ...(answered == null ? {} : { answered }),
      ...(archived === true ? { box: ARCHIVE, read: true } : archived === false ? { box: INBOX } : {}),
    }));
  }

  async move(refs: string[], destination: string): Promise<MailMessage[]> {
    const box = parseBoxName(destination, 'destination_box');
    return this.#changeRefs(refs, () => ({ box, ...(box === ARCHIVE ? { read: true } : {}) }));
  }

  archive(refs: string[]): Promise<MailMessage[]> {
    return this.move(refs, ARCHIVE);
  }

  async watch(onChange: (hint: MailHint) => void): Promise<() => void> {
    return this.#mail.changed.on((hint) => {
      if (hint.address === this.address) onChange(hint);
    });
  }

  async close(): Promise<void> {}

  #newestFirst(): MemoryEntry[] {
    return [...this.#mail.entriesOf(this.address).values()].sort((a, b) => b.order - a.order);
  }

  #match(input: MailQuery): MemoryEntry[] {
    const query = checkOperation('list', input);
    const { read_state, answered_state } = query;
    const box = boxOf(query);
    const since = query.since == null ? '' : sinceStamp(query.since);
    return this.#newestFirst().filter(
      (entry) =>
        entry.box === box &&
        (read_state === 'any' || entry.read === (read_state === 'read')) &&
        (answered_state === 'any' || entry.answered === (answered_state === 'answered')) &&
        entry.document.created_at_utc >= since,
    );
  }

  #find(id: string, box?: string | null): MemoryEntry {
    const entry = this.#mail.entriesOf(this.address).get(id);
    if (!entry) throw notFound(`no message ${makeMailRef(TRANSPORT, id)} in mailbox ${this.address}`);
    if (box != null && entry.box !== parseBoxName(box)) {
      throw notFound(`message ${makeMailRef(TRANSPORT, id)} is in box ${entry.box}, not in ${box}`);
    }
    return entry;
  }

  #changeRefs(refs: string[], to: () => Partial<MemoryEntry>): MailMessage[] {
    const entries = parseMailRefs(TRANSPORT, refs).map((id) => this.#find(id));
    this.#change(entries, to);
    return entries.map((entry) => viewEntry(entry, true));
  }

  #change(entries: MemoryEntry[], to: () => Partial<MemoryEntry>): void {
    for (const entry of entries) Object.assign(entry, to());
    this.#mail.touch(this.address);
  }

  #sent(document: MailDocument): MailSent {
    const done = this.#mail.deliver(document);
    return { message: viewEntry(this.#find(done.document.message_id), true), duplicate: done.duplicate };
  }
}

interface Page {
  cursor?: string | null | undefined;
  limit?: number | null | undefined;
  include_body: boolean;
}

function cut(
  entries: MemoryEntry[],
  { cursor, limit, include_body }: Page,
): { messages: MailMessage[]; nextCursor: string | null } {
  const before = cursor == null ? Number.POSITIVE_INFINITY : Number(cursor);
  if (Number.isNaN(before)) throw invalid('cursor must be the next_cursor of an earlier page');
  const left = entries.filter(({ order }) => order < before);
  const page = left.slice(0, limit ?? undefined);
  return {
    messages: page.map((entry) => viewEntry(entry, include_body)),
    nextCursor: page.length < left.length ? String(page.at(-1)!.order) : null,
  };
}

/** What every outgoing message may have besides its text. */
const answers = ({
  idempotency_key,
  expects_answer,
  answer_by,
}: {
  idempotency_key?: string | null | undefined;
  expects_answer: boolean;
  answer_by?: string | null | undefined;
}) => ({ idempotency_key, expects_answer, answer_by });
