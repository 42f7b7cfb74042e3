import * as fs from 'node:fs';
import {
  type Clock,
  crashPoint,
  Emitter,
  forbidden,
  type Log,
  messageOf,
  type RouseError,
  silentLog,
  systemClock,
  unavailable,
} from '../../../base/index.ts';
import type { Sqlite } from '../../../db/index.ts';
import type { MailHint } from '../../port.ts';
import { noActiveMailbox } from '../accounts/no-active-mailbox.ts';
import { RegistrationBook } from '../accounts/registration-book.ts';
import { Publisher } from '../publish/publisher.ts';
import { StateJournal } from '../publish/state-journal.ts';
import { indexNextBatch } from '../search-messages.ts';
import { signalChange } from '../watch/signal.ts';
import type { Layout } from './layout.ts';
import { refuseLinkedDirectories } from './own-directories.ts';

const ROOT_CHECK_MS = 20;

export interface MailStoreOptions {
  root: string;
  clock?: Clock;
  log?: Log;
}

/**
 * An open mailbox root: what every operation on it needs. It has one connection, so one commit per turn of the event
 * loop.
 */
export class OpenRoot {
  readonly layout: Layout;
  readonly db: Sqlite;
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: StateJournal;
  readonly publisher: Publisher;
  readonly book = new RegistrationBook();
  readonly changed = new Emitter<MailHint>();
  #rootChecked = Number.NEGATIVE_INFINITY;
  #toSignal = new Set<string>();
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
    this.publisher = new Publisher({
      layout,
      db,
      clock,
      log,
      commit: (work) => this.commit(work),
      requireCurrent: () => this.requireCurrent(),
    });
    this.publisher.afterFlush = (inside) => {
      indexNextBatch(inside);
      if (this.journal.wantsCompaction) this.journal.compact(inside);
    };
    this.#indexFile = fs.statSync(layout.index);
  }

  unknownMailbox(address: string): RouseError {
    return noActiveMailbox(this.db, address);
  }

  /**
   * Makes one commit, shared with everything else written in this turn. Resolves when it is on disk. `onVisible` runs
   * before the promise settles, even if the disk did not confirm the commit, because others can already read it.
   */
  async commit<T>(work: (db: Sqlite) => T, onVisible?: (value: T) => void): Promise<T> {
    this.#refuseReadOnly();
    return this.db.commitTogether(
      (db) => {
        this.#refuseChangedRoot();
        return work(db);
      },
      (value) => {
        crashPoint('mailbox.commit.flushed');
        onVisible?.(value);
      },
    );
  }

  /** Commits at once and alone, for rare work. */
  transaction<T>(work: (db: Sqlite) => T): T {
    this.#refuseReadOnly();
    this.#refuseChangedRoot();
    return this.db.transaction(work);
  }

  /** Resolves when files and links show everything committed so far. They follow each commit within moments. */
  published(): Promise<void> {
    return this.publisher.published();
  }

  /**
   * Call after a commit: notifies watchers in this process at once, and those in other processes before any other work.
   */
  announceChange(addresses: Iterable<string>): void {
    for (const address of addresses) {
      if (this.#toSignal.size === 0) process.nextTick(() => this.#signalAll());
      this.#toSignal.add(address);
      this.changed.emit({ address });
    }
  }

  #signalAll(): void {
    for (const address of this.#toSignal) signalChange(this.layout, address, this.clock.now());
    this.#toSignal.clear();
  }

  /** A row that cannot be shown is skipped and logged once. It never stops a list. */
  reportBadRow(seq: number, error: unknown): void {
    if (this.#badRows.has(seq)) return;
    this.#badRows.add(seq);
    this.log.warn('a message in the index cannot be read', { seq, error: messageOf(error) });
  }

  get badRowCount(): number {
    return this.#badRows.size;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.publisher.close();
    } finally {
      this.#signalAll();
      this.db.close();
    }
  }

  /** The open index is no longer in its place: the root was repaired, restored from a copy or moved. */
  get isReplaced(): boolean {
    try {
      const now = fs.statSync(this.layout.index);
      return now.ino !== this.#indexFile.ino || now.dev !== this.#indexFile.dev;
    } catch {
      return true;
    }
  }

  /** A process with the old index open must neither write to it nor trust it. */
  requireCurrent(): void {
    if (!this.isReplaced) return;
    throw unavailable(
      `the index of mailbox root ${this.layout.root} was replaced or moved while it was open`,
      {
        hint: 'try again: what is there now is opened then',
        facts: { cause: 'index_replaced' },
      },
    );
  }

  #refuseReadOnly(): void {
    if (!this.db.readOnly) return;
    throw forbidden(`mailbox root ${this.layout.root} can be read but not written`, {
      hint: 'run as a user who may write there, or make it writable',
    });
  }

  #refuseChangedRoot(): void {
    if (this.clock.monotonic() - this.#rootChecked < ROOT_CHECK_MS) return;
    this.requireCurrent();
    refuseLinkedDirectories(this.layout);
    this.#rootChecked = this.clock.monotonic();
  }
}
