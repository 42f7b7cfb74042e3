import * as path from 'node:path';
import { type Clock, crashPoint, Emitter, type Log, messageOf } from '../../../base/index.ts';
import type { Sqlite } from '../../../db/index.ts';
import type { Layout } from '../root/layout.ts';
import { flushToDisk } from './flush-files.ts';
import { makeVisible } from './make-visible.ts';
import {
  dropOvertaken,
  type PlaceNow,
  type Publication,
  type Published,
  pathsOf,
  placesNow,
  publishedPart,
  toMake,
  wholePublication,
} from './publication.ts';
import { endPublisherName, isPublisherAlive, NO_PUBLISHER, newPublisherName } from './publisher-name.ts';

interface Pending {
  generation: number;
  /** What to flush; undefined until it is published. */
  published: Published | undefined;
  failed?: boolean;
}

/** Work to do. Without a publication, the whole message is checked. */
interface Due {
  seq: number;
  generation: number;
  publication?: Publication;
}

type Commit = <T>(work: (db: Sqlite) => T) => Promise<T>;

/**
 * After this time, or this many messages, published mail is flushed and struck off. By then the system has usually
 * written it to disk, so the flush is cheap. Until then the index can make it again.
 */
const SETTLE_MS = 60_000;
const MANY = 20_000;
const RETRY_MS = 30_000;
/** Publications per turn of the event loop. */
const BATCH = 32;
/** Publications that arrive within this time are made together. */
const GATHER_MS = 2;
/** Senders wait while this many publications are due, so that files never fall far behind the index. */
const MAX_WAITING = 2048;

/**
 * Keeps files and box links in step with the index, right after each commit, without making senders wait. The index is
 * the truth. It holds every message whole, and a row in `unpublished` until file and links are known to be on disk. So
 * a process that dies in between leaves a note of what the next one must finish.
 */
export class Publisher {
  /** Identifies this publisher in `unpublished`. */
  readonly name = newPublisherName();
  #layout: Layout;
  #db: Sqlite;
  #commit: Commit;
  #clock: Clock;
  #log: Log;
  #requireCurrent: () => void;
  #due: Due[] = [];
  #publishing: Promise<void> | undefined;
  #cancelGather: (() => void) | undefined;
  #roomMade = new Emitter<void>();
  #pending = new Map<number, Pending>();
  #generation = 0;
  #ready = 0;
  #cancelTimer: (() => void) | undefined;
  #flushing: Promise<void> = Promise.resolve();
  /** Why the last publication failed. It is still noted and will be tried again. */
  trouble: string | undefined;
  /** Other work that can wait until a flush. */
  afterFlush: (db: Sqlite) => void = () => {};

  constructor(parts: {
    layout: Layout;
    db: Sqlite;
    clock: Clock;
    log: Log;
    commit: Commit;
    /** Throws if the root is no longer the one that was opened. Nothing may be made there then. */
    requireCurrent: () => void;
  }) {
    this.#commit = parts.commit;
    this.#db = parts.db;
    this.#clock = parts.clock;
    this.#requireCurrent = parts.requireCurrent;
    this.#log = parts.log;
    this.#layout = parts.layout;
  }

  /** Resolves at once unless publications have fallen behind. */
  async hasRoom(): Promise<void> {
    while (this.#due.length >= MAX_WAITING) await this.#roomMade.next();
  }

  /** Call inside the transaction that needs the publication. Returns the generation to publish. */
  announce(seq: number): number {
    this.#db.run('INSERT OR REPLACE INTO unpublished (seq, publisher) VALUES (?, ?)', [seq, this.name]);
    this.#pending.set(seq, { generation: ++this.#generation, published: undefined });
    return this.#generation;
  }

  /** Call after the commit. */
  publish(generation: number, publication: Publication): void {
    this.#add({ seq: publication.seq, generation, publication });
  }

  /** Makes the file and links of one message match the index, whatever they are now. */
  reconcile(seq: number): void {
    this.#add({ seq, generation: this.#pending.get(seq)?.generation ?? 0 });
  }

  /** Finishes what dead processes left undone. Returns the messages concerned. */
  recover(): number[] {
    const alive = new Map<string, boolean>();
    const left = this.#db
      .all<{ seq: number; publisher: string }>('SELECT seq, publisher FROM unpublished')
      .filter(({ publisher }) => {
        if (!alive.has(publisher)) alive.set(publisher, isPublisherAlive(publisher));
        return !alive.get(publisher);
      })
      .map(({ seq }) => seq);
    if (left.length === 0) return [];
    this.#db.transaction(() => {
      for (const seq of left) this.announce(seq);
    });
    for (const seq of left) this.reconcile(seq);
    return left;
  }

  /** Resolves when files and links show everything committed so far. */
  async published(): Promise<void> {
    while (this.#due.length > 0 || this.#publishing !== undefined) {
      this.#start();
      await this.#publishing;
    }
  }

  /** Flushes what was published and strikes it off. */
  flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#flushing = this.#flushing.then(() => this.#flushNow());
    return this.#flushing;
  }

  /** Finishes and flushes. What could not be published is left to the next process that opens the root. */
  async close(): Promise<void> {
    await this.published();
    await this.flush();
    this.#cancelTimer?.();
    endPublisherName(this.name);
    if (this.#pending.size === 0) return;
    try {
      await this.#commit((db) =>
        db.run('UPDATE unpublished SET publisher = ? WHERE publisher = ?', [NO_PUBLISHER, this.name]),
      );
    } catch (error) {
      // It stays noted under a name that has ended.
      this.#log.warn('mail is left to be published by the next process', { error: messageOf(error) });
    }
  }

  #add(due: Due): void {
    this.#due.push(due);
    if (this.#publishing === undefined) this.#gather();
  }

  #gather(): void {
    this.#cancelGather ??= this.#clock.after(GATHER_MS, () => this.#start());
  }

  #start(): void {
    this.#cancelGather?.();
    this.#cancelGather = undefined;
    this.#publishing ??= this.#publishDue().finally(() => {
      this.#publishing = undefined;
      if (this.#due.length > 0) this.#gather();
    });
  }

  /** In commit order, so that a message that moves twice ends in the right box. */
  async #publishDue(): Promise<void> {
    for (let left = this.#due.length; left > 0; left -= BATCH) {
      const known = new Set<string>();
      const batch = this.#due.splice(0, Math.min(left, BATCH)).flatMap((due) => this.#make(due, known));
      const places = this.#places(batch.map(({ due }) => due.seq));
      for (const { due, publication } of batch) {
        this.#guard(due, () => {
          if (places instanceof Error) throw places;
          this.#published(due, publication, places.get(due.seq) ?? []);
        });
      }
      this.#roomMade.emit();
      if (left > BATCH) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #make(due: Due, known: Set<string>): { due: Due; publication: Publication }[] {
    const made = this.#guard(due, () => {
      this.#requireCurrent();
      const publication = due.publication ?? wholePublication(this.#db, this.#layout, due.seq);
      if (publication) makeVisible(this.#layout.root, toMake(this.#layout, publication), known);
      return publication && { due, publication };
    });
    return made ? [made] : [];
  }

  #places(seqs: readonly number[]): Map<number, PlaceNow[]> | Error {
    try {
      return placesNow(this.#db, seqs);
    } catch (error) {
      return error instanceof Error ? error : new Error(messageOf(error));
    }
  }

  #published({ seq, generation }: Due, publication: Publication, now: PlaceNow[]): void {
    this.trouble = undefined;
    if (!dropOvertaken(this.#db, this.#layout, publication, now)) this.reconcile(seq);
    if (this.#pending.get(seq)?.generation === generation) {
      this.#pending.set(seq, { generation, published: publishedPart(publication) });
    }
    if (++this.#ready >= MANY) void this.flush();
    else this.#cancelTimer ??= this.#clock.after(SETTLE_MS, () => void this.flush());
  }

  /** The mail is delivered. A failure only means that its files are not visible yet. */
  #guard<T>({ seq, generation }: Due, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      const message = messageOf(error);
      if (this.trouble !== message) {
        this.#log.warn('mail is delivered but its file or links could not be written; will try again', {
          error: message,
        });
      }
      this.trouble = message;
      if (this.#pending.get(seq)?.generation === generation) {
        this.#pending.set(seq, { generation, published: undefined, failed: true });
      }
      this.#cancelTimer ??= this.#clock.after(RETRY_MS, () => void this.flush());
      return undefined;
    }
  }

  async #flushNow(): Promise<void> {
    const failed = [...this.#pending].filter(([, pending]) => pending.failed);
    for (const [seq] of failed) this.reconcile(seq);
    if (failed.length > 0) await this.published();
    const batch = [...this.#pending].filter(([, { published }]) => published !== undefined);
    if (batch.length === 0) return;
    this.#ready = 0;
    try {
      await flushToDisk(
        withDirectories(batch.flatMap(([, { published }]) => pathsOf(this.#layout, published!))),
      );
      crashPoint('mailbox.flush.synced');
      const isCurrent = ([seq, { generation }]: [number, Pending]): boolean =>
        this.#pending.get(seq)?.generation === generation;
      const settled = await this.#commit((db) => {
        const current = batch.filter(isCurrent);
        for (const [seq] of current) {
          db.run('DELETE FROM unpublished WHERE seq = ? AND publisher = ?', [seq, this.name]);
        }
        return current;
      });
      for (const entry of settled.filter(isCurrent)) this.#pending.delete(entry[0]);
      crashPoint('mailbox.flush.settled');
      await this.#commit((db) => this.afterFlush(db));
    } catch (error) {
      // It stays noted in the index; the next flush or process tries again.
      this.#log.warn('published mail could not be flushed to disk yet', { error: messageOf(error) });
    }
  }
}

function withDirectories(paths: readonly string[]): string[] {
  return [...new Set([...paths, ...paths.map((file) => path.dirname(file))])];
}
