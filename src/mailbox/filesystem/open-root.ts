import * as fs from 'node:fs';
import {
  type Clock,
  Emitter,
  type Log,
  messageOf,
  type RouseError,
  silentLog,
  systemClock,
  unavailable,
} from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import { unknownRecipient } from '../../domain/index.ts';
import type { MailHint } from '../port.ts';
import type { Layout } from './layout.ts';
import { Publisher } from './publisher.ts';
import { listRegistrations } from './registration-rows.ts';
import { indexNextBatch } from './search-messages.ts';
import { signalChange } from './signal.ts';
import { StateJournal } from './state-journal.ts';

export interface MailStoreOptions {
  root: string;
  clock?: Clock;
  log?: Log;
}

/** One mailbox root, opened: what every operation on it needs. One connection, so one commit per turn of the event loop. */
export class OpenRoot {
  readonly layout: Layout;
  readonly db: Sqlite;
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: StateJournal;
  readonly publisher: Publisher;
  readonly changed = new Emitter<MailHint>();
  #indexFile: { dev: number; ino: number };
  #closing: Promise<void> | undefined;
  #badRows = new Set<number>();

  constructor(
    layout: Layout,
    db: Sqlite,
    { clock = systemClock, log = silentLog }: Omit<MailStoreOptions, 'root'>,
  ) {
    this.layout = layout;
    this.db = db;
    this.clock = clock;
    this.log = log;
    this.journal = new StateJournal(layout.stateJournal);
    this.publisher = new Publisher({ layout, db, clock, log });
    this.publisher.alongside = (inside) => {
      indexNextBatch(inside);
      if (this.journal.wantsCompaction) this.journal.compact(inside);
    };
    this.#indexFile = fs.statSync(layout.index);
  }

  unknownMailbox(address: string): RouseError {
    const active = listRegistrations(this.db).filter(({ status }) => status === 'active');
    return unknownRecipient(
      address,
      active.map(({ address, owner_principal_id: principal_id }) => ({ address, principal_id })),
    );
  }

  /** One commit, shared with whatever else is written in this turn. Resolves when it is on disk. */
  async commit<T>(work: (db: Sqlite) => T): Promise<T> {
    return this.db.commitTogether((db) => {
      this.#refuseReplacedIndex();
      return work(db);
    });
  }

  /** After a commit and its publication: tells watchers here and in other processes. */
  announceChange(addresses: Iterable<string>): void {
    for (const address of addresses) {
      signalChange(this.layout, address, this.clock.now());
      this.changed.emit({ address });
    }
  }

  /** A row that cannot be shown is left out and told once; it never stops a list. */
  reportBadRow(seq: number, error: unknown): void {
    if (this.#badRows.has(seq)) return;
    this.#badRows.add(seq);
    this.log.warn('a message in the index cannot be read', { seq, error: messageOf(error) });
  }

  get badRowCount(): number {
    return this.#badRows.size;
  }

  close(): Promise<void> {
    this.#closing ??= this.publisher.close().finally(() => this.db.close());
    return this.#closing;
  }

  /** Repair puts a new index in place of one that cannot be read; whoever still has the old one open must not write to it. */
  #refuseReplacedIndex(): void {
    const now = fs.statSync(this.layout.index, { throwIfNoEntry: false });
    if (now?.ino === this.#indexFile.ino && now.dev === this.#indexFile.dev) return;
    throw unavailable(`the index of mailbox root ${this.layout.root} was replaced while it was open`, {
      hint: 'try again: the new index is used from the next start',
    });
  }
}
