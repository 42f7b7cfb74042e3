import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  bootId,
  type Clock,
  crashPoint,
  identifyProcess,
  isProcessAlive,
  type Log,
  messageOf,
} from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import type { MailDocument } from '../../domain/index.ts';
import { flushToDisk } from './flush-files.ts';
import { canonicalPath, type Layout } from './layout.ts';
import { folderOf, linkMessage, removeLink, unlinkMessage } from './mailbox-folder.ts';
import { messageFileIsGood, writeMessageFile } from './message-file.ts';
import { loadDocument, statesOf } from './message-rows.ts';
import { type Registration, registrationByNumber } from './registration-rows.ts';

interface Pending {
  generation: number;
  /** Files and directories to flush; undefined while the publication has not happened. */
  paths: string[] | undefined;
  failed?: boolean;
}

export interface Placement {
  registration: Registration;
  box: string;
  formerBox?: string;
}

/** After this much quiet, or this many messages, what was published is flushed and forgotten. */
const QUIET_MS = 1000;
const MANY = 2048;
const RETRY_MS = 30_000;

/** In `unpublished`: nobody is at it. */
const NOBODY = '-';
let instances = 0;

/**
 * Keeps files and box links in step with the index, after each commit. The index is the truth: it holds every
 * message whole, and a row in `unpublished` until the file and links are known to be on disk, so a process that
 * dies in between leaves a note of what the next one has to finish.
 */
export class Publisher {
  /** Names this publisher of this very process in `unpublished`. */
  readonly name = publisherName();
  #layout: Layout;
  #db: Sqlite;
  #clock: Clock;
  #log: Log;
  #pending = new Map<number, Pending>();
  #generation = 0;
  #ready = 0;
  #cancelTimer: (() => void) | undefined;
  #flushing: Promise<void> = Promise.resolve();
  /** Why the last publication failed; what it was for is still noted and will be tried again. */
  trouble: string | undefined;
  /** Work that may ride along with the transaction of a flush. */
  alongside: (db: Sqlite) => void = () => {};

  constructor(parts: { layout: Layout; db: Sqlite; clock: Clock; log: Log }) {
    this.#layout = parts.layout;
    this.#db = parts.db;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  /** Inside the transaction that makes a publication necessary. */
  announce(seq: number): void {
    this.#db.run('INSERT OR REPLACE INTO unpublished (seq, publisher) VALUES (?, ?)', [seq, this.name]);
    this.#pending.set(seq, { generation: ++this.#generation, paths: undefined });
  }

  /** After a delivery was committed. Never throws: the mail is delivered, the files can wait. */
  publish(seq: number, document: MailDocument, placements: readonly Placement[]): void {
    this.#attempt(seq, () => {
      writeMessageFile(this.#layout, document);
      crashPoint('mailbox.publish.file');
      return [this.#fileOf(document), ...this.#place(document, placements)];
    });
  }

  /** After a change of boxes was committed. The new link comes before the old one goes. */
  relink(
    seq: number,
    document: Pick<MailDocument, 'message_id' | 'created_at_utc'>,
    placement: Placement,
  ): void {
    this.#attempt(seq, () => {
      const folders = this.#place(document, [placement]);
      crashPoint('mailbox.relink.linked');
      const former = placement.formerBox;
      if (former === undefined || former === placement.box) return folders;
      const folder = folderOf(this.#layout, placement.registration);
      removeLink(path.join(folder, former, `${document.message_id}.md`));
      crashPoint('mailbox.relink.unlinked');
      return [...folders, path.join(folder, former)];
    });
  }

  /** Makes file and links of one message what the index says, whatever they are now. */
  reconcile(seq: number): void {
    const document = loadDocument(this.#db, seq);
    this.#attempt(seq, () => {
      if (!document) return [];
      if (!messageFileIsGood(this.#layout, document)) writeMessageFile(this.#layout, document);
      const paths = [this.#fileOf(document)];
      for (const state of statesOf(this.#db, seq)) {
        const registration = registrationByNumber(this.#db, state.registration);
        if (!registration || registration.status === 'inactive') continue;
        const kept = state.is_deleted === 0 ? [state.box] : [];
        paths.push(
          ...this.#place(
            document,
            kept.map((box) => ({ registration, box })),
          ),
        );
        unlinkMessage(folderOf(this.#layout, registration), document.message_id, kept);
      }
      return paths;
    });
  }

  /** Finishes what dead processes left. Answers with the messages that were published anew. */
  recover(): number[] {
    const alive = new Map<string, boolean>();
    const left = this.#db
      .all<{ seq: number; publisher: string }>('SELECT seq, publisher FROM unpublished')
      .filter(({ publisher }) => {
        if (!alive.has(publisher))
          alive.set(publisher, publisher !== this.name && isPublisherAlive(publisher));
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

  /** Flushes what was published and strikes it off the list. */
  flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#flushing = this.#flushing.then(() => this.#flushNow());
    return this.#flushing;
  }

  /** Flushes a last time; what could not be published is left to whoever opens the root next. */
  async close(): Promise<void> {
    await this.flush();
    this.#cancelTimer?.();
    if (this.#pending.size === 0) return;
    this.#db.run('UPDATE unpublished SET publisher = ? WHERE publisher = ?', [NOBODY, this.name]);
  }

  get unsettledCount(): number {
    return this.#db.get<{ n: number }>('SELECT count(*) AS n FROM unpublished')?.n ?? 0;
  }

  #attempt(seq: number, publication: () => string[]): void {
    const { generation } = this.#pending.get(seq) ?? { generation: ++this.#generation };
    try {
      this.#pending.set(seq, { generation, paths: publication() });
      this.trouble = undefined;
      this.#ready++;
      this.#flushLater();
    } catch (error) {
      if (this.trouble !== messageOf(error)) {
        this.#log.warn('mail is delivered but its file or links could not be written; will try again', {
          error: messageOf(error),
        });
      }
      this.trouble = messageOf(error);
      this.#pending.set(seq, { generation, paths: undefined, failed: true });
      this.#cancelTimer ??= this.#clock.after(RETRY_MS, () => void this.flush());
    }
  }

  #place(
    document: Pick<MailDocument, 'message_id' | 'created_at_utc'>,
    placements: readonly Placement[],
  ): string[] {
    return placements.map(({ registration, box }) => {
      const folder = folderOf(this.#layout, registration);
      linkMessage(this.#layout, {
        folder,
        box,
        messageId: document.message_id,
        createdAtUtc: document.created_at_utc,
      });
      return path.join(folder, box);
    });
  }

  #fileOf({ message_id, created_at_utc }: Pick<MailDocument, 'message_id' | 'created_at_utc'>): string {
    return path.join(this.#layout.root, canonicalPath(message_id, created_at_utc));
  }

  #flushLater(): void {
    if (this.#ready >= MANY) {
      this.#ready = 0;
      void this.flush();
      return;
    }
    this.#cancelTimer ??= this.#clock.after(QUIET_MS, () => void this.flush());
  }

  async #flushNow(): Promise<void> {
    for (const [seq, { failed }] of [...this.#pending]) if (failed) this.reconcile(seq);
    const batch = [...this.#pending].filter(([, { paths }]) => paths !== undefined);
    if (batch.length === 0) return;
    this.#ready = 0;
    try {
      const files = batch.flatMap(([, { paths }]) => paths!);
      await flushToDisk([...new Set([...files, ...files.map((file) => path.dirname(file))])]);
      crashPoint('mailbox.flush.synced');
      await this.#db.commitTogether((db) => {
        for (const [seq, { generation }] of batch) {
          if (this.#pending.get(seq)?.generation !== generation) continue;
          db.run('DELETE FROM unpublished WHERE seq = ? AND publisher = ?', [seq, this.name]);
        }
        this.alongside(db);
      });
      for (const [seq, { generation }] of batch) {
        if (this.#pending.get(seq)?.generation === generation) this.#pending.delete(seq);
      }
      crashPoint('mailbox.flush.settled');
    } catch (error) {
      // Still noted in the index; the next flush, or the next process, tries again.
      this.#log.warn('published mail could not be flushed to disk yet', { error: messageOf(error) });
    }
  }
}

function publisherName(): string {
  const self = identifyProcess(process.pid);
  return `${process.pid} ${self?.startTicks ?? '-'} ${bootId() ?? '-'} ${++instances}`;
}

function isPublisherAlive(name: string): boolean {
  if (name === NOBODY) return false;
  const [pid, startTicks, boot] = name.split(' ');
  return isProcessAlive({
    pid: Number(pid),
    startTicks: startTicks === '-' ? null : Number(startTicks),
    bootId: boot === '-' ? null : (boot ?? null),
  });
}

/** Leftovers of processes that died before they could rename them into place. */
export function sweepStaging(layout: Layout, olderThan: Date): number {
  let swept = 0;
  for (const name of fs.readdirSync(layout.staging)) {
    const file = path.join(layout.staging, name);
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.mtimeMs >= olderThan.getTime()) continue;
    fs.rmSync(file, { force: true });
    swept++;
  }
  return swept;
}
