import * as fs from 'node:fs';
import {
  type Clock,
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
import { CommitQueue } from '../publish/commit-queue.ts';
import { Publisher } from '../publish/publisher.ts';
import { StateJournal } from '../publish/state-journal.ts';
import { indexNextBatch } from '../search-messages.ts';
import { signalChange } from '../watch/signal.ts';
import type { Layout } from './layout.ts';
import { refuseLinkedDirectories } from './own-directories.ts';
import { BUSY_TIMEOUT_MS } from './root.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

const ROOT_CHECK_MS = 20;

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
  readonly book = new RegistrationBook();
  readonly changed = new Emitter<MailHint>();
  #commits: CommitQueue;
  #writeAhead: WriteAheadLog;
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
    this.#writeAhead = new WriteAheadLog(layout.index);
    this.#commits = new CommitQueue({
      db,
      clock,
      lockFile: `${layout.locks}/commit.lock`,
      timeoutMs: BUSY_TIMEOUT_MS,
      flush: () => this.#writeAhead.flush(),
    });
    this.publisher = new Publisher({
      layout,
      db,
      clock,
      log,
      commit: (work) => this.commit(work),
      requireCurrent: () => this.requireCurrent(),
    });
    this.publisher.alongside = (inside) => {
      indexNextBatch(inside);
      if (this.journal.wantsCompaction) this.journal.compact(inside);
    };
    this.#indexFile = fs.statSync(layout.index);
  }

  unknownMailbox(address: string): RouseError {
    return noActiveMailbox(this.db, address);
  }

  /**
   * One commit, shared with whatever else is written in this turn. Resolves when it is on disk. One that everybody sees, but
   * that the disk did not confirm, is rejected after `unconfirmed` was told.
   */
  async commit<T>(work: (db: Sqlite) => T, unconfirmed?: (value: T) => void): Promise<T> {
    this.#refuseReadOnly();
    return this.#commits.add((db) => {
      this.#refuseChangedRoot();
      return work(db);
    }, unconfirmed);
  }

  /** The same at once, for what is done rarely and alone. */
  transaction<T>(work: (db: Sqlite) => T): T {
    this.#refuseReadOnly();
    this.#refuseChangedRoot();
    const value = this.db.transaction(work);
    this.#writeAhead.flush();
    return value;
  }

  /** Resolves when files and links show what was committed so far; they follow each commit within moments. */
  published(): Promise<void> {
    return this.publisher.published();
  }

  /** After a commit: tells watchers here at once, those in other processes before anything else has its turn. */
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
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.publisher.close();
      await this.#commits.close();
    } finally {
      this.#signalAll();
      this.#writeAhead.close();
      this.db.close();
    }
  }

  /** Another index lies where the open one was, or none: it was repaired, restored from a copy, or its root moved away. */
  get isReplaced(): boolean {
    try {
      const now = fs.statSync(this.layout.index);
      return now.ino !== this.#indexFile.ino || now.dev !== this.#indexFile.dev;
    } catch {
      return true;
    }
  }

  /** Whoever still has the old index open must neither write to it nor take what it says for the truth. */
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
