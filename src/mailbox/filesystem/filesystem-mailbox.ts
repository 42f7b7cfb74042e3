import { crashPoint } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import {
  ARCHIVE,
  composeMail,
  composePost,
  composeReply,
  type DocumentAttachment,
  INBOX,
  type MailDocument,
  type MailDraft,
  type MailMark,
  type MailMessage,
  type MailPost,
  type MailQuery,
  type MailReply,
  type MailSearch,
  type NewAttachment,
  parseBoxName,
  parseMailRef,
  parseMailRefs,
} from '../../domain/index.ts';
import { pageOf } from '../page.ts';
import type {
  Mailbox,
  MailboxStatus,
  MailCapabilities,
  MailCounts,
  MailHint,
  MailPage,
  MailSent,
} from '../port.ts';
import {
  checkMail,
  mailDraftSchema,
  mailMarkSchema,
  mailPostSchema,
  mailQuerySchema,
  mailReplySchema,
  mailSearchSchema,
} from '../schema/index.ts';
import { dropCopies, takeAttachments } from './attachments.ts';
import { type Delivered, deliver, type Lookup, resolveRecipients } from './deliver.ts';
import { changeFlags, type FlagChange, type OwnMessage, requireOwnMessage } from './flags.ts';
import { countRows, listRows } from './list-messages.ts';
import { loadDocument } from './message-rows.ts';
import { FILESYSTEM, loadView, type ViewRow, viewDelivered, viewMessage } from './message-view.ts';
import type { OpenRoot } from './open-root.ts';
import { principalOf, type RegistrationRow, versionOf } from './registration-rows.ts';
import { indexNextBatch, matchExpression, searchIsBehind, searchRows } from './search-messages.ts';
import { watchSignal } from './signal.ts';
import { storeWarnings } from './store-status.ts';

export const FILESYSTEM_CAPABILITIES: Readonly<MailCapabilities> = Object.freeze({
  post: true,
  cc: true,
  attachments: true,
  sent_box: true,
  boxes: true,
  read_flag: true,
  answered_flag: true,
  unarchive: true,
  search: true,
});

/** What a delivery is composed from, inside its transaction. */
interface Inside {
  db: Sqlite;
  active: Lookup;
  self: RegistrationRow;
}

/** One mailbox of a root, behind the port. Each change is one commit; files and links follow it. */
export class FilesystemMailbox implements Mailbox {
  readonly transport = FILESYSTEM;
  readonly capabilities = FILESYSTEM_CAPABILITIES;
  readonly address: string;
  readonly principal_id: string;
  #store: OpenRoot;
  #watches = new Set<() => void>();

  constructor(store: OpenRoot, registration: RegistrationRow) {
    this.#store = store;
    this.address = registration.address;
    this.principal_id = registration.owner_principal_id;
  }

  async status(): Promise<MailboxStatus> {
    const { open_count, unread_count } = await this.count({ box: INBOX });
    const { transport, principal_id, address } = this;
    const { setAsideCount, warnings } = storeWarnings(this.#store);
    return {
      transport,
      principal_id,
      address,
      location: this.#store.layout.root,
      open_count,
      unread_count,
      set_aside_count: setAsideCount,
      warnings,
    };
  }

  async version(): Promise<string> {
    const { registration_id, number } = this.#self(this.#store.db);
    return `${registration_id}:${versionOf(this.#store.db, number)}`;
  }

  async list(input: MailQuery = {}): Promise<MailPage> {
    const query = checkMail(mailQuerySchema, input, 'list');
    const { rows, nextCursor } = listRows(this.#store.db, this.#self(this.#store.db).number, query);
    return pageOf(query.box, { messages: this.#view(rows), nextCursor });
  }

  async count(input: MailQuery = {}): Promise<MailCounts> {
    const query = checkMail(mailQuerySchema, input, 'count');
    return countRows(this.#store.db, this.#self(this.#store.db).number, query);
  }

  async search(input: MailSearch): Promise<MailPage> {
    const { text, box = null, limit, include_body } = checkMail(mailSearchSchema, input, 'search');
    const match = matchExpression(text);
    if (match === undefined) return pageOf(box, { messages: [], nextCursor: null });
    while (searchIsBehind(this.#store.db)) await this.#store.commit(indexNextBatch);
    const { number } = this.#self(this.#store.db);
    const rows = searchRows(this.#store.db, number, { match, box, limit, withBody: include_body });
    return pageOf(box, { messages: this.#view(rows), nextCursor: null });
  }

  async peek(messageRef: string, options: { box?: string | null } = {}): Promise<MailMessage> {
    const { db } = this.#store;
    return this.#load(db, this.#find(db, messageRef, options.box));
  }

  async read(messageRef: string, options: { box?: string | null } = {}): Promise<MailMessage> {
    const { db } = this.#store;
    const message = this.#find(db, messageRef, options.box);
    if (message.is_read === 1) return this.#load(db, message);
    const [read] = await this.#change([parseMailRef(FILESYSTEM, messageRef)], { read: true });
    return read!;
  }

  async send(input: MailDraft): Promise<MailSent> {
    const { to, cc, subject, body_content: body, ...draft } = checkMail(mailDraftSchema, input, 'send');
    const resolve = (db: Sqlite, active: Lookup) => ({
      to: resolveRecipients(db, active, to),
      cc: resolveRecipients(db, active, cc),
    });
    // Refused before a file is copied; looked up again where it counts, in the transaction.
    if (draft.attachments.length > 0) resolve(this.#store.db, this.#store.book.open(this.#store.db));
    return this.#deliver(draft.attachments, ({ db, active, self }, attachments, at) =>
      composeMail({
        ...resolve(db, active),
        from: principalOf(self),
        subject,
        body,
        at,
        attachments,
        idempotency_key: draft.idempotency_key,
      }),
    );
  }

  async post(input: MailPost): Promise<MailSent> {
    const post = checkMail(mailPostSchema, input, 'post');
    return this.#deliver(post.attachments, ({ self }, attachments, at) =>
      composePost({
        to: principalOf(self),
        post,
        at,
        attachments,
        idempotency_key: post.idempotency_key,
      }),
    );
  }

  async reply(input: MailReply): Promise<MailSent> {
    const reply = checkMail(mailReplySchema, input, 'reply');
    this.#find(this.#store.db, reply.message_ref);
    return this.#deliver(
      reply.attachments,
      ({ db, self }, attachments, at) =>
        composeReply({
          from: principalOf(self),
          parent: loadDocument(db, this.#find(db, reply.message_ref).seq)!,
          body: reply.body_content,
          at,
          attachments,
          idempotency_key: reply.idempotency_key,
        }),
      (db) => void this.#flag(db, this.#find(db, reply.message_ref), { read: true, answered: true }),
    );
  }

  async mark(input: MailMark): Promise<MailMessage[]> {
    const { message_refs, read, answered, archived } = checkMail(mailMarkSchema, input, 'mark');
    return this.#change(parseMailRefs(FILESYSTEM, message_refs), {
      read: read ?? undefined,
      answered: answered ?? undefined,
      box: archived == null ? undefined : archived ? ARCHIVE : INBOX,
    });
  }

  async move(messageRefs: string[], destinationBox: string): Promise<MailMessage[]> {
    const box = parseBoxName(destinationBox, 'destination_box');
    return this.#change(parseMailRefs(FILESYSTEM, messageRefs), { box });
  }

  async archive(messageRefs: string[]): Promise<MailMessage[]> {
    return this.#change(parseMailRefs(FILESYSTEM, messageRefs), { box: ARCHIVE });
  }

  async watch(onChange: (hint: MailHint) => void): Promise<() => void> {
    const { address } = this;
    const stopHere = this.#store.changed.on((hint) => {
      if (hint.address === address) onChange(hint);
    });
    const stopThere = watchSignal(this.#store.layout, address, () => onChange({ address }));
    const stop = (): void => {
      stopHere();
      stopThere();
      this.#watches.delete(stop);
    };
    this.#watches.add(stop);
    return stop;
  }

  async close(): Promise<void> {
    for (const stop of [...this.#watches]) stop();
  }

  async #deliver(
    attachments: NewAttachment[],
    compose: (inside: Inside, attachments: DocumentAttachment[], at: Date) => MailDocument,
    alsoChange: (db: Sqlite) => void = () => {},
  ): Promise<MailSent> {
    const store = this.#store;
    await store.publisher.hasRoom();
    const taken = await takeAttachments(store.layout, attachments);
    crashPoint('mailbox.deliver.begin');
    let delivered: Delivered | undefined;
    let generation = 0;
    try {
      delivered = await store.commit((db) => {
        const active = store.book.open(db);
        const inside = { db, active, self: this.#self(db, active) };
        const done = deliver(db, active, compose(inside, taken, store.clock.now()));
        if (done.duplicate) return done;
        generation = store.publisher.announce(done.seq);
        alsoChange(db);
        return done;
      });
    } finally {
      if (delivered === undefined || delivered.duplicate) dropCopies(store.layout, taken);
    }
    const { seq, document, duplicate, mailboxes } = delivered;
    if (!duplicate) {
      store.publisher.publish(generation, { seq, message: document, document, placements: mailboxes });
      store.announceChange(
        new Set([...mailboxes.map(({ registration }) => registration.address), this.address]),
      );
      crashPoint('mailbox.deliver.signalled');
    }
    if (duplicate) {
      const { number } = this.#self(store.db);
      return { message: loadView(store.db, store.layout, { registration: number, seq }), duplicate };
    }
    const { box } = mailboxes.find(({ registration }) => registration.address === this.address)!;
    return { message: viewDelivered(store.layout, document, box), duplicate };
  }

  async #change(messageIds: string[], change: FlagChange): Promise<MailMessage[]> {
    const store = this.#store;
    crashPoint('mailbox.change.begin');
    const changed = await store.commit((db) =>
      messageIds.map((id) => {
        const message = requireOwnMessage(db, this.#self(db), id);
        return { message, ...this.#flag(db, message, change) };
      }),
    );
    if (changed.every((each) => !each.changed))
      return changed.map(({ message }) => this.#load(store.db, message));
    const registration = this.#self(store.db);
    for (const { message, generation } of changed) {
      if (generation === undefined) continue;
      const placement = { registration, box: change.box!, formerBox: message.box };
      store.publisher.publish(generation, { seq: message.seq, message, placements: [placement] });
    }
    store.announceChange([this.address]);
    crashPoint('mailbox.change.signalled');
    return changed.map(({ message }) => this.#load(store.db, message));
  }

  /** With a `generation`, the message is in another box now and its link must follow. */
  #flag(db: Sqlite, message: OwnMessage, change: FlagChange): { changed: boolean; generation?: number } {
    const line = changeFlags(db, this.#self(db), { message, change });
    if (!line) return { changed: false };
    this.#store.journal.append([line]);
    if (line.box === message.box) return { changed: true };
    return { changed: true, generation: this.#store.publisher.announce(message.seq) };
  }

  #self(db: Sqlite, active: Lookup = this.#store.book.open(db)): RegistrationRow {
    const self = active(this.address);
    if (self && self.owner_principal_id === this.principal_id) return self;
    throw this.#store.unknownMailbox(this.address);
  }

  #find(db: Sqlite, messageRef: string, box?: string | null): OwnMessage {
    const id = parseMailRef(FILESYSTEM, messageRef);
    return requireOwnMessage(db, this.#self(db), id, box == null ? null : parseBoxName(box));
  }

  #load(db: Sqlite, { seq }: OwnMessage): MailMessage {
    return loadView(db, this.#store.layout, { registration: this.#self(db).number, seq });
  }

  #view(rows: ViewRow[]): MailMessage[] {
    return rows.flatMap((row) => {
      try {
        return [viewMessage(this.#store.layout, row)];
      } catch (error) {
        this.#store.reportBadRow(row.seq, error);
        return [];
      }
    });
  }
}
