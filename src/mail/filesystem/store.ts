import * as fs from 'node:fs';
import * as path from 'node:path';
import { tryLockFile } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import {
  type MailDocument,
  OPERATOR,
  parseAddress,
  parseMailRef,
  type UnregisterMode,
} from '../../domain/index.ts';
import { folderOf } from './accounts/mailbox-folder.ts';
import { type RegisterResult, register } from './accounts/register.ts';
import type { RegisterRequest } from './accounts/register-request.ts';
import { activeRegistration, listRegistrations, type Registration } from './accounts/registration-rows.ts';
import { type UnregisterResult, unregister } from './accounts/unregister.ts';
import { FILESYSTEM } from './binding.ts';
import { FilesystemMailbox } from './filesystem-mailbox.ts';
import { parseCursor } from './list-messages.ts';
import { documentOf } from './message-rows.ts';
import { countHandled, readReceived, type TimeInCells } from './received-mail.ts';
import { type CleanupOptions, cleanup } from './repair/cleanup.ts';
import { clearMessages, finishClearing, isClearing } from './repair/clear-messages.ts';
import type { MaintenanceReport } from './repair/maintenance.ts';
import { explained } from './root/explain-root.ts';
import { type ExportManifest, type ExportOptions, exportRoot } from './root/export-root.ts';
import type { Layout } from './root/layout.ts';
import { readMeta, writeMeta } from './root/meta-rows.ts';
import { type MailStoreOptions, OpenRoot } from './root/open-root.ts';
import { makeRoot, markRoot, openIndex, requireRoot, resolveRoot } from './root/root.ts';
import { indexNextBatch, matchExpression, searchIsBehind } from './search-messages.ts';
import { type AllMailPage, type AllMailQuery, readAll } from './threads/read-all.ts';
import {
  type ConversationPage,
  type ConversationQuery,
  readConversations,
} from './threads/read-conversations.ts';
import { readThread, type ThreadMessage } from './threads/read-thread.ts';
import { RootWaits } from './waits/root-waits.ts';
import { ensureSignal } from './watch/signal.ts';

const STAGING_LEFTOVER_MS = 10 * 60_000;

export interface WantedMail extends Omit<AllMailQuery, 'match' | 'before'> {
  /** Words to search for. */
  text?: string | undefined;
  cursor?: string | null | undefined;
}

/** A search by words, on a page that a cursor names. */
export type WantedConversations = Omit<ConversationQuery, 'match' | 'before'> &
  Pick<WantedMail, 'text' | 'cursor'>;

/** A mailbox root, and the operations on all of it. */
export class MailStore extends OpenRoot {
  /** Opens one mailbox by its address. Closing it leaves the store open. */
  mailbox(address: string): FilesystemMailbox {
    parseAddress(address);
    const registration = activeRegistration(this.db, address.trim());
    if (registration) return new FilesystemMailbox(this, registration);
    throw this.unknownMailbox(address.trim());
  }

  get waits(): RootWaits {
    return new RootWaits(this);
  }

  /** A stored message from any mailbox; undefined if there is none. */
  document(messageId: string): MailDocument | undefined {
    this.requireCurrent();
    return documentOf(this.db, messageId);
  }

  /** A thread across all mailboxes, oldest first, for the operator. */
  thread(address: string, threadRef: string, max: number): ThreadMessage[] {
    this.requireCurrent();
    const threadId = parseMailRef(FILESYSTEM, threadRef, 'thread_ref');
    return readThread(this.db, this.layout, { address, threadId, max });
  }

  /** Mail of all mailboxes, newest first, for the operator. */
  async all({ text, cursor, ...query }: WantedMail): Promise<AllMailPage> {
    this.requireCurrent();
    const before = parseCursor(cursor);
    const match = await this.#searchFor(text);
    if (match === null) return { messages: [], nextCursor: null };
    return readAll(this.db, this.layout, { ...query, match, before });
  }

  /** How many messages each address received, by cell of that time. */
  received(time: TimeInCells): Map<string, [number, number][]> {
    this.requireCurrent();
    return readReceived(this.db, time);
  }

  /** How many of these messages the mailbox has handled: read, answered or archived. */
  handled(address: string, refs: readonly string[]): number {
    this.requireCurrent();
    const ids = refs.map((ref) => parseMailRef(FILESYSTEM, ref, 'message_ref'));
    return countHandled(this.db, address, ids);
  }

  /** One row per thread, newest first, for the operator. */
  async conversations({ text, cursor, ...query }: WantedConversations): Promise<ConversationPage> {
    this.requireCurrent();
    const before = parseCursor(cursor);
    const match = await this.#searchFor(text);
    if (match === null) return { conversations: [], nextCursor: null };
    return readConversations(this.db, this.layout, { ...query, match, before });
  }

  /** The expression for these words, once the index has everything; null if they cannot match. */
  async #searchFor(text: string | undefined): Promise<string | null | undefined> {
    if (text === undefined) return undefined;
    const match = matchExpression(text);
    if (match === undefined) return null;
    while (searchIsBehind(this.db)) await this.commit(indexNextBatch);
    return match;
  }

  registrations(address?: string): Registration[] {
    return listRegistrations(this.db, address).map(({ number: _number, ...rest }) => rest);
  }

  register(request: RegisterRequest): RegisterResult {
    const result = register(this, request);
    ensureSignal(this.layout, result.address);
    return result;
  }

  cleanup(options: CleanupOptions = {}): MaintenanceReport {
    return cleanup(this, options);
  }

  clearMessages(options: { dryRun: boolean }): Promise<MaintenanceReport> {
    return clearMessages(this, options);
  }

  export(options: ExportOptions): Promise<ExportManifest> {
    return exportRoot(this, options);
  }

  unregister(address: string, mode: UnregisterMode): UnregisterResult {
    return unregister(this, address, mode);
  }
}

/** Makes or completes a root and opens it. Repeating it changes nothing. */
export function initMailStore(options: MailStoreOptions): MailStore {
  return explained(options.root, () => makeAndOpen(options));
}

function makeAndOpen(options: MailStoreOptions): MailStore {
  const layout = resolveRoot(options.root);
  makeRoot(layout);
  const real = resolveRoot(options.root);
  const db = openIndex(real, { make: true });
  const store = new MailStore(real, db, options);
  ensureOperator(store);
  markRoot(real);
  recover(store);
  return store;
}

/** Opens an existing root, and finishes what a process that died there left undone. */
export function openMailStore(options: MailStoreOptions): MailStore {
  return explained(options.root, () => openExisting(options));
}

function openExisting(options: MailStoreOptions): MailStore {
  const layout = resolveRoot(options.root);
  requireRoot(layout);
  const store = new MailStore(layout, openIndex(layout, { make: false }), options);
  try {
    ensureOperator(store);
    recover(store);
  } catch (error) {
    store.db.close();
    throw error;
  }
  return store;
}

function ensureOperator(store: MailStore): void {
  if (activeRegistration(store.db, OPERATOR.address)) return;
  const { principal_id, address, display_name, role } = OPERATOR;
  store.register({
    mode: 'safe',
    address,
    owner_principal_id: principal_id,
    display_name: display_name!,
    role: role!,
    system: true,
  });
}

function recover(store: MailStore): void {
  if (store.db.readOnly) return;
  const moved = readMeta(store.db, 'root') !== store.layout.root;
  const left = store.db.get('SELECT 1 FROM unpublished LIMIT 1') !== undefined;
  const clearing = isClearing(store.db);
  if (!moved && !left && !clearing) return;
  const lock = tryLockFile(`${store.layout.locks}/recovery.lock`);
  if (!lock) return;
  try {
    if (moved) noteMove(store);
    if (clearing) finishClearing(store);
    const touched = store.publisher.recover();
    sweepStaging(store.layout, new Date(store.clock.now().getTime() - STAGING_LEFTOVER_MS));
    if (touched.length > 0) {
      store.log.info('finished publishing mail of a process that ended early', { messages: touched.length });
      store.announceChange(addressesOf(store.db, touched));
    }
  } finally {
    lock.release();
  }
}

/** Links inside the root are relative and move with it. Those in private directories elsewhere are made again. */
function noteMove(store: MailStore): void {
  const known = readMeta(store.db, 'root');
  store.transaction((db) => {
    writeMeta(db, 'root', store.layout.root);
    if (known === undefined) return;
    for (const { number, mailbox_kind, mailbox_path } of listRegistrations(db)) {
      if (mailbox_kind !== 'symlink' || !fs.existsSync(folderOf(store.layout, { mailbox_path }))) continue;
      db.run(
        `INSERT OR REPLACE INTO unpublished (seq, publisher) SELECT seq, '-' FROM mail_state WHERE registration = ?`,
        [number],
      );
    }
  });
}

function addressesOf(db: Sqlite, seqs: readonly number[]): Set<string> {
  const addresses = seqs.flatMap((seq) =>
    db
      .all<{ address: string }>(
        `SELECT r.address FROM mail_state s JOIN mailbox_registrations r ON r.number = s.registration
         WHERE s.seq = ? AND r.status = 'active'`,
        [seq],
      )
      .map(({ address }) => address),
  );
  return new Set(addresses);
}

/** Removes files of processes that died before they could rename them into place. */
function sweepStaging(layout: Layout, olderThan: Date): number {
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
