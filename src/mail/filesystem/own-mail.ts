import { crashPoint } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import {
  type DocumentAttachment,
  type MailDocument,
  type MailMessage,
  type NewAttachment,
  parseBoxName,
} from '../../domain/index.ts';
import type { FileAccess } from '../file-access.ts';
import type { MailSent } from '../port.ts';
import type { RegistrationRow } from './accounts/registration-rows.ts';
import { dropCopies, takeAttachments } from './attachments.ts';
import { type Delivered, deliver, type Lookup } from './deliver.ts';
import { changeFlags, type FlagChange, type OwnMessage, requireOwnMessage } from './flags.ts';
import { loadView, type ViewRow, viewDelivered, viewMessage } from './message-view.ts';
import type { OpenRoot } from './root/open-root.ts';
import { reportCircles } from './waits/report-waits.ts';

/** What a message is composed from, inside the transaction of its delivery. */
interface Composing {
  db: Sqlite;
  active: Lookup;
  self: RegistrationRow;
}

/** Mail of Rouse itself that a commit delivered. */
export type Reported = Omit<Delivered, 'duplicate'> & { generation: number };

/** Runs inside the commit of these deliveries. */
export function announceAll(store: OpenRoot, delivered: readonly Delivered[]): Reported[] {
  return delivered.map(({ duplicate: _, ...each }) => ({
    ...each,
    generation: store.publisher.announce(each.seq),
  }));
}

/** Runs once the commit can be seen. */
export function publishSent(
  store: OpenRoot,
  generation: number,
  { seq, document, mailboxes }: Omit<Delivered, 'duplicate'>,
): void {
  store.publisher.publish(generation, { seq, message: document, document, placements: mailboxes });
  store.announceChange(mailboxes.map(({ registration }) => registration.address));
}

/** The messages of one mailbox: finds and shows them, and commits changes to them. */
export class OwnMail {
  #store: OpenRoot;
  #address: string;
  #principalId: string;

  constructor(store: OpenRoot, registration: RegistrationRow) {
    this.#store = store;
    this.#address = registration.address;
    this.#principalId = registration.owner_principal_id;
  }

  /** Delivers one message, in one commit with everything that must change with it. */
  async deliver(
    { attachments, files }: { attachments: NewAttachment[]; files: FileAccess },
    compose: (inside: Composing, attachments: DocumentAttachment[], at: Date) => MailDocument,
    alsoChange: (db: Sqlite) => void = () => {},
  ): Promise<MailSent> {
    const store = this.#store;
    await store.publisher.hasRoom();
    // Copying would recreate part of a root that was moved away.
    if (attachments.length > 0) store.requireCurrent();
    const taken = await takeAttachments(store.layout, attachments, files);
    crashPoint('mailbox.deliver.begin');
    let delivered: Delivered | undefined;
    let generation = 0;
    let isCommitted = false;
    let reported: Reported[] = [];
    const publish = ({ duplicate, ...sent }: Delivered): void => {
      isCommitted = !duplicate;
      if (duplicate) return;
      publishSent(store, generation, sent);
      for (const { generation: own, ...each } of reported) publishSent(store, own, each);
      store.announceChange([this.#address]);
    };
    try {
      delivered = await store.commit((db) => {
        const active = store.book.open(db);
        const inside = { db, active, self: this.self(db, active) };
        const at = store.clock.now();
        const done = deliver(db, active, compose(inside, taken, at));
        if (done.duplicate) return done;
        generation = store.publisher.announce(done.seq);
        alsoChange(db);
        reported = announceAll(store, reportCircles({ db, active, at }, done));
        return done;
      }, publish);
    } finally {
      if (!isCommitted) dropCopies(store.layout, taken);
    }
    const { seq, document, duplicate, mailboxes } = delivered;
    if (!duplicate) crashPoint('mailbox.deliver.signalled');
    if (duplicate) {
      const { number } = this.self(store.db);
      return { message: loadView(store.db, store.layout, { registration: number, seq }), duplicate };
    }
    const { box } = mailboxes.find(({ registration }) => registration.address === this.#address)!;
    return { message: viewDelivered(store.layout, document, box), duplicate };
  }

  /** Applies the same change to all of these messages or to none. */
  async change(messageIds: string[], change: FlagChange): Promise<MailMessage[]> {
    const store = this.#store;
    crashPoint('mailbox.change.begin');
    type Changed = { message: OwnMessage; changed: boolean; generation?: number };
    const publish = (all: Changed[]): void => {
      if (all.every((each) => !each.changed)) return;
      const registration = this.self(store.db);
      for (const { message, generation } of all) {
        if (generation === undefined) continue;
        const placement = { registration, box: change.box!, formerBox: message.box };
        store.publisher.publish(generation, { seq: message.seq, message, placements: [placement] });
      }
      store.announceChange([this.#address]);
    };
    const changed = await store.commit(
      (db) =>
        messageIds.map((id): Changed => {
          const message = requireOwnMessage(db, this.self(db), id);
          return { message, ...this.flag(db, message, change) };
        }),
      publish,
    );
    if (changed.some((each) => each.changed)) crashPoint('mailbox.change.signalled');
    return changed.map(({ message }) => this.load(store.db, message));
  }

  /** With a `generation`, the message changed its box and its link must follow. */
  flag(db: Sqlite, message: OwnMessage, change: FlagChange): { changed: boolean; generation?: number } {
    const line = changeFlags(db, this.self(db), { message, change });
    if (!line) return { changed: false };
    this.#store.journal.append([line]);
    if (line.box === message.box) return { changed: true };
    return { changed: true, generation: this.#store.publisher.announce(message.seq) };
  }

  /** This mailbox's current registration. Refused if the owner has changed. */
  self(db: Sqlite, active: Lookup = this.#store.book.open(db)): RegistrationRow {
    const self = active(this.#address);
    if (self && self.owner_principal_id === this.#principalId) return self;
    throw this.#store.unknownMailbox(this.#address);
  }

  find(db: Sqlite, id: string, box?: string | null): OwnMessage {
    return requireOwnMessage(db, this.self(db), id, box == null ? null : parseBoxName(box));
  }

  load(db: Sqlite, { seq }: OwnMessage): MailMessage {
    return loadView(db, this.#store.layout, { registration: this.self(db).number, seq });
  }

  /** Shows the rows that can be shown and reports the others. */
  view(rows: ViewRow[]): MailMessage[] {
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
