import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  asRouseError,
  type Clock,
  commandLine,
  compactStamp,
  type Log,
  lockFile,
  notFound,
  randomHex,
  silentLog,
  systemClock,
} from '../../../base/index.ts';
import type { Sqlite } from '../../../db/index.ts';
import type { MailDocument } from '../../../domain/index.ts';
import { placeMailbox } from '../accounts/mailbox-entry.ts';
import { listRegistrations } from '../accounts/registration-rows.ts';
import { messageFileIsGood } from '../message-file.ts';
import { loadDocument } from '../message-rows.ts';
import { cleanStaging, type StagingReport } from '../publish/clean-staging.ts';
import { readStateJournal } from '../publish/state-journal.ts';
import { explainRoot } from '../root/explain-root.ts';
import type { Layout } from '../root/layout.ts';
import { replaceLinkedDirectories } from '../root/own-directories.ts';
import { setLinksAside } from '../root/planted-links.ts';
import { ensureDirectories, isForeign, openIndex, resolveRoot } from '../root/root.ts';
import { removeStrayLinks } from '../root/stray-links.ts';
import { indexNextBatch, resetSearch } from '../search-messages.ts';
import { initMailStore, type MailStore } from '../store.ts';
import { type ImportCounts, importMessage, type Memory, rememberFolders } from './import-message.ts';
import { quarantine, scanMessages } from './message-scan.ts';
import { rebuildIndex } from './rebuild-index.ts';
import { indexIsSound } from './salvage.ts';

export interface RepairOptions {
  root: string;
  clock?: Clock;
  log?: Log;
  /** Check what interrupted writers left in staging/. Default true. */
  cleanup_staging?: boolean;
  /** Quarantine it instead of deleting it. Default true. */
  quarantine_staging?: boolean;
}

export interface RepairResult extends StagingReport {
  message_count: number;
  projection_count: number;
  registration_count: number;
  /** Flags and boxes that were kept or restored, and those reset to the state at delivery. */
  restored_state_count: number;
  defaulted_state_count: number;
  /** Message files that were rewritten from the index. */
  republished_count: number;
  /** Files that are not valid messages and were set aside. */
  set_aside_count: number;
  set_aside_paths: string[];
  backed_up_index_path: string | null;
}

const LOCK_TIMEOUT_MS = 30_000;
/**
 * Brings index, message files and box folders in step. A sound index is the truth: files and links are rebuilt from
 * it, and files that it does not know are added. An unreadable index is rebuilt; flags come from whatever source still
 * has them.
 */
export async function repairMailStore(options: RepairOptions): Promise<RepairResult> {
  try {
    return await repair(options);
  } catch (error) {
    throw explainRoot(error, options.root);
  }
}

async function repair(options: RepairOptions): Promise<RepairResult> {
  const { clock = systemClock, log = silentLog } = options;
  const layout = resolveRoot(options.root);
  const isThere = (file: string): boolean => fs.statSync(file, { throwIfNoEntry: false }) !== undefined;
  if (!isThere(layout.messages) && !isThere(layout.index)) {
    throw notFound(`there is no mailbox root at ${layout.root}`, {
      hint: `create one: ${commandLine`rouse mailbox init --mailbox-root ${layout.root}`}`,
    });
  }
  const foreign = isForeign(layout);
  const stamp = `${compactStamp(clock.now())}-${randomHex(2)}`;
  const replaced = replaceLinkedDirectories(layout, stamp);
  ensureDirectories(layout);
  const lock = await lockFile(path.join(layout.locks, 'repair.lock'), { timeoutMs: LOCK_TIMEOUT_MS, clock });
  try {
    const staging = cleanStaging(layout, options, { clock, stamp });
    const usable = !foreign && indexCanBeUsed(layout);
    const rebuilt = usable ? undefined : rebuildIndex(layout, clock.now(), stamp);
    const store = initMailStore({ root: layout.root, clock, log });
    try {
      const result = await bringInStep(store, stamp);
      const aside = [...replaced, ...(rebuilt?.set_aside_paths ?? []), ...result.set_aside_paths];
      return {
        ...result,
        restored_state_count: rebuilt ? rebuilt.restored : result.restored_state_count,
        defaulted_state_count: result.defaulted_state_count + (rebuilt?.defaulted ?? 0),
        set_aside_count: aside.length,
        set_aside_paths: aside,
        backed_up_index_path: rebuilt?.backed_up_index_path ?? null,
        ...staging,
      };
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
}

function indexCanBeUsed(layout: Layout): boolean {
  let db: Sqlite;
  try {
    db = openIndex(layout, { make: false });
  } catch (error) {
    const { code } = asRouseError(error);
    if (code === 'not_found' || code === 'internal') return false;
    // Busy, or written by a newer version: not damage.
    throw error;
  }
  try {
    return indexIsSound(db);
  } finally {
    db.close();
  }
}

type InStep = Pick<
  RepairResult,
  | 'message_count'
  | 'projection_count'
  | 'registration_count'
  | 'restored_state_count'
  | 'defaulted_state_count'
  | 'republished_count'
  | 'set_aside_paths'
>;

async function bringInStep(store: MailStore, stamp: string): Promise<InStep> {
  const { db, layout } = store;
  const counts: ImportCounts = { restored: 0, defaulted: 0 };
  const before = count(db, 'mail_state');
  const setAside = setLinksAside(store, stamp);
  placeMissingMailboxes(store);
  const memory = lazily(
    (): Memory => ({
      states: readStateJournal(layout.stateJournal).states,
      folders: rememberFolders(layout, listRegistrations(db)),
    }),
  );
  const seen = new Set<string>();
  for (const scanned of scanMessages(layout)) {
    if ('problem' in scanned) {
      setAside.push(quarantine(layout, scanned.file, stamp));
      continue;
    }
    seen.add(scanned.document.message_id);
    if (!adopt(store, scanned.document, { memory, counts })) continue;
    setAside.push(quarantine(layout, scanned.file, stamp));
    seen.delete(scanned.document.message_id);
  }
  const missing = db
    .all<{ seq: number; message_id: string }>('SELECT seq, message_id FROM messages')
    .filter(({ message_id }) => !seen.has(message_id));
  const wrong = new Set(missing.map(({ seq }) => seq));
  for (const seq of removeStrayLinks(store)) wrong.add(seq);
  await republish(store, [...wrong]);
  store.transaction(resetSearch);
  while (await store.commit(indexNextBatch));
  store.transaction((inside) => store.journal.compact(inside));
  return {
    message_count: count(db, 'messages'),
    projection_count: db.get<{ n: number }>('SELECT count(*) AS n FROM mail_state WHERE is_deleted = 0')!.n,
    registration_count: count(db, 'mailbox_registrations'),
    restored_state_count: before + counts.restored,
    defaulted_state_count: counts.defaulted,
    republished_count: missing.length,
    set_aside_paths: setAside,
  };
}

/** A mailbox entry may be lost together with its directory. */
function placeMissingMailboxes({ db, layout }: MailStore): void {
  for (const registration of listRegistrations(db)) {
    const entry = path.join(layout.root, registration.mailbox_entry_path);
    if (registration.status !== 'active' || fs.lstatSync(entry, { throwIfNoEntry: false })) continue;
    placeMailbox(layout, registration, { clear: false });
  }
}

/** Returns true if the file contradicts the index, which then rewrites it. Adds a message that the index lacks. */
function adopt(
  store: MailStore,
  document: MailDocument,
  { memory, counts }: { memory: () => Memory; counts: ImportCounts },
): boolean {
  const { db, layout } = store;
  const known = db.get<{ seq: number }>('SELECT seq FROM messages WHERE message_id = ?', [
    document.message_id,
  ]);
  if (known) {
    const ours = loadDocument(db, known.seq);
    return ours !== undefined && !messageFileIsGood(layout, ours);
  }
  db.transaction(() => {
    const registrations = listRegistrations(db);
    const seq = importMessage(db, document, { registrations, memory: memory(), counts });
    store.publisher.announce(seq);
    store.publisher.reconcile(seq);
  });
  return false;
}

async function republish(store: MailStore, seqs: number[]): Promise<void> {
  const { db, publisher } = store;
  db.transaction(() => {
    for (const seq of seqs) publisher.announce(seq);
  });
  for (const seq of seqs) publisher.reconcile(seq);
  await publisher.published();
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function count(db: Sqlite, table: 'messages' | 'mail_state' | 'mailbox_registrations'): number {
  return db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)!.n;
}
