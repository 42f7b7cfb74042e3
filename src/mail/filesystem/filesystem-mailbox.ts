import type { Sqlite } from '../../db/index.ts';
import {
  ARCHIVE,
  boxOf,
  composeMail,
  composePost,
  composeReply,
  INBOX,
  type MailDraft,
  type MailMark,
  type MailMessage,
  type MailPost,
  type MailQuery,
  type MailReply,
  type MailSearch,
  replyTargets,
  SEARCH_LIMIT,
} from '../../domain/index.ts';
import { ALL_CAPABILITIES } from '../all-capabilities.ts';
import { NO_FILE } from '../file-access.ts';
import { MailChecks } from '../mail-checks.ts';
import { MailboxWatches } from '../mailbox-watches.ts';
import { pageOf } from '../page.ts';
import type {
  Mailbox,
  MailboxStatus,
  MailCounts,
  MailHint,
  MailOutbox,
  MailPage,
  MailSent,
  MailStep,
} from '../port.ts';
import { checkOperation } from '../schema/index.ts';
import { principalOf, type RegistrationRow, versionOf } from './accounts/registration-rows.ts';
import { FILESYSTEM } from './binding.ts';
import { type Lookup, resolveRecipients } from './deliver.ts';
import { admitStandIns } from './links/stand-ins.ts';
import { countRows, listRows, parseCursor } from './list-messages.ts';
import { loadDocument, trailOf } from './message-rows.ts';
import { OwnMail } from './own-mail.ts';
import type { OpenRoot } from './root/open-root.ts';
import { indexNextBatch, matchExpression, searchIsBehind, searchRows } from './search-messages.ts';
import { storeWarnings } from './store-status.ts';
import { RootWaits } from './waits/root-waits.ts';
import { watchMailbox } from './watch/watch-mailbox.ts';

/** One mailbox of a root, behind the port. Each change is one commit; files and links follow it. */
export class FilesystemMailbox implements Mailbox {
  readonly transport = FILESYSTEM;
  readonly capabilities = ALL_CAPABILITIES;
  readonly address: string;
  readonly principal_id: string;
  #store: OpenRoot;
  #own: OwnMail;
  readonly waits: RootWaits;
  #checks = new MailChecks(FILESYSTEM);
  #watches = new MailboxWatches();
  #outbox: () => MailOutbox | undefined = () => undefined;

  constructor(store: OpenRoot, registration: RegistrationRow) {
    this.#store = store;
    this.address = registration.address;
    this.principal_id = registration.owner_principal_id;
    this.#own = new OwnMail(store, registration);
    this.waits = new RootWaits(store);
  }

  /** Present while the mailbox is linked with a fleet. A link may begin and end while the mailbox is open. */
  get outbox(): MailOutbox | undefined {
    return this.#outbox();
  }

  waitIn(outbox: () => MailOutbox | undefined): this {
    this.#outbox = outbox;
    return this;
  }

  /** For reading. Never the index of a root that was repaired, restored or moved since it was opened. */
  get #db(): Sqlite {
    this.#store.requireCurrent();
    return this.#store.db;
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
    const db = this.#db;
    const { registration_id, number } = this.#own.self(db);
    return `${registration_id}:${versionOf(db, number)}`;
  }

  async list(input: MailQuery = {}): Promise<MailPage> {
    const query = checkOperation('list', input);
    const box = boxOf(query);
    const db = this.#db;
    const { rows, nextCursor } = listRows(db, this.#own.self(db).number, { ...query, box });
    return pageOf(box, { messages: this.#own.view(rows), nextCursor });
  }

  async count(input: MailQuery = {}): Promise<MailCounts> {
    const query = checkOperation('list', input);
    const db = this.#db;
    return countRows(db, this.#own.self(db).number, { ...query, box: boxOf(query) });
  }

  async search(input: MailSearch): Promise<MailPage> {
    const { text, box = null, limit, include_body, cursor } = checkOperation('search', input);
    const before = parseCursor(cursor);
    const match = matchExpression(text);
    if (match === undefined) return pageOf(box, { messages: [], nextCursor: null });
    const db = this.#db;
    while (searchIsBehind(db)) await this.#store.commit(indexNextBatch);
    const { number } = this.#own.self(db);
    const wanted = { match, box, limit: limit ?? SEARCH_LIMIT, before, withBody: include_body };
    const { rows, nextCursor } = searchRows(db, number, wanted);
    return pageOf(box, { messages: this.#own.view(rows), nextCursor });
  }

  async peek(messageRef: string, options: { box?: string | null } = {}): Promise<MailMessage> {
    const db = this.#db;
    return this.#own.load(db, this.#own.find(db, this.#checks.id(messageRef), options.box));
  }

  async read(messageRef: string, options: { box?: string | null } = {}): Promise<MailMessage> {
    const db = this.#db;
    const id = this.#checks.id(messageRef);
    const message = this.#own.find(db, id, options.box);
    if (message.is_read === 1) return this.#own.load(db, message);
    const [read] = await this.#own.change([id], { read: true });
    return read!;
  }

  async trail(messageRef: string, max: number): Promise<MailStep[]> {
    return trailOf(this.#db, this.#checks.id(messageRef), max);
  }

  async send(input: MailDraft, files = NO_FILE): Promise<MailSent> {
    const { to, cc, subject, body_content: body, ...draft } = checkOperation('send', input);
    admitStandIns(this.#store, this.address, [...to, ...cc]);
    const resolve = (db: Sqlite, active: Lookup) => ({
      to: resolveRecipients(db, active, to),
      cc: resolveRecipients(db, active, cc),
    });
    // Unknown recipients are refused before a file is copied, and checked again in the transaction.
    if (draft.attachments.length > 0) resolve(this.#store.db, this.#store.book.open(this.#store.db));
    return this.#own.deliver(
      { attachments: draft.attachments, files },
      ({ db, active, self }, attachments, at) =>
        composeMail({
          ...resolve(db, active),
          from: principalOf(self),
          subject,
          body,
          at,
          ...draft,
          attachments,
        }),
    );
  }

  async post(input: MailPost, files = NO_FILE): Promise<MailSent> {
    const post = checkOperation('post', input);
    return this.#own.deliver({ attachments: post.attachments, files }, ({ self }, attachments, at) =>
      composePost({
        to: principalOf(self),
        post,
        ...post,
        at,
        attachments,
      }),
    );
  }

  async reply(input: MailReply, files = NO_FILE): Promise<MailSent> {
    const { id, reply } = this.#checks.reply(input);
    const { seq } = this.#own.find(this.#db, id);
    const recipients = replyTargets(loadDocument(this.#db, seq)!).map(({ address }) => address);
    admitStandIns(this.#store, this.address, recipients);
    return this.#own.deliver(
      { attachments: reply.attachments, files },
      ({ db, self }, attachments, at) =>
        composeReply({
          from: principalOf(self),
          parent: loadDocument(db, this.#own.find(db, id).seq)!,
          body: reply.body_content,
          at,
          ...reply,
          attachments,
        }),
      (db) => void this.#own.flag(db, this.#own.find(db, id), { read: true, answered: true }),
    );
  }

  async mark(input: MailMark): Promise<MailMessage[]> {
    const { ids, flags } = this.#checks.mark(input);
    const { read, answered, archived } = flags;
    return this.#own.change(ids, {
      read: read ?? undefined,
      answered: answered ?? undefined,
      box: archived == null ? undefined : archived ? ARCHIVE : INBOX,
    });
  }

  async move(messageRefs: string[], destinationBox: string): Promise<MailMessage[]> {
    const { ids, box } = this.#checks.move(messageRefs, destinationBox);
    return this.#own.change(ids, { box });
  }

  async archive(messageRefs: string[]): Promise<MailMessage[]> {
    return this.#own.change(this.#checks.ids(messageRefs), { box: ARCHIVE });
  }

  async watch(onChange: (hint: MailHint) => void): Promise<() => void> {
    const { address } = this;
    this.#store.requireCurrent();
    const stopHere = this.#store.changed.on((hint) => {
      if (hint.address === address) onChange(hint);
    });
    const stopThere = watchMailbox(this.#store.layout, address, () => onChange({ address }));
    return this.#watches.add(() => {
      stopHere();
      stopThere();
    });
  }

  async close(): Promise<void> {
    this.#watches.close();
  }
}
