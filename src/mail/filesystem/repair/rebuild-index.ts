import * as fs from 'node:fs';
import * as path from 'node:path';
import { crashPoint, fsyncDirectory, internal, randomHex, utcSeconds } from '../../../base/index.ts';
import { openSqlite, type Sqlite } from '../../../db/index.ts';
import { isAddress, localPart, type MailDocument, stashedAddress } from '../../../domain/index.ts';
import { insertRegistration, listRegistrations, type Registration } from '../accounts/registration-rows.ts';
import { INDEX_MIGRATIONS } from '../root/index-schema.ts';
import type { Layout } from '../root/layout.ts';
import { settleWaits } from '../waits/wait-rows.ts';
import { type ImportCounts, importMessage, rememberFolders } from './import-message.ts';
import { quarantine, scanMessages } from './message-scan.ts';
import { type Salvage, salvage } from './salvage.ts';

export interface RebuildResult extends ImportCounts {
  set_aside_paths: string[];
  backed_up_index_path: string | null;
}

const BATCH = 500;

/**
 * Makes a new index from the message files, the journal, the box folders and what is readable of the old index. It is
 * built under another name and replaces the old one, which is kept, in one step at the end.
 */
export function rebuildIndex(layout: Layout, at: Date, stamp: string): RebuildResult {
  const building = `${layout.index}.rebuild`;
  removeAll(building);
  const saved = salvage(layout);
  const db = openSqlite({ file: building, migrations: INDEX_MIGRATIONS });
  const counts: ImportCounts = { restored: 0, defaulted: 0 };
  const setAside: string[] = [];
  try {
    const owners = new Map<string, string>();
    for (const scanned of scanMessages(layout)) {
      if ('problem' in scanned) setAside.push(quarantine(layout, scanned.file, stamp));
      else
        for (const { address, principal_id } of parties(scanned.document)) owners.set(address, principal_id);
    }
    recoverRegistrations(db, layout, { saved, owners, at });
    importAll(db, layout, saved, counts);
  } finally {
    saved.close();
    db.close();
  }
  crashPoint('mailbox.repair.built');
  const backup = replaceIndex(layout, building, stamp);
  return { ...counts, set_aside_paths: setAside, backed_up_index_path: backup };
}

function parties({ from, to, cc }: MailDocument): MailDocument['to'] {
  return [from, ...to, ...cc];
}

/** Restores the saved registrations, and adds one for each mailbox folder without one. */
function recoverRegistrations(
  db: Sqlite,
  layout: Layout,
  { saved, owners, at }: { saved: Salvage; owners: Map<string, string>; at: Date },
): void {
  const active = new Set<string>();
  const entries = new Set<string>();
  for (const registration of saved.registrations.values()) {
    const taken = registration.status === 'active' && active.has(registration.address);
    insertRegistration(db, taken ? { ...registration, status: 'inactive' } : registration);
    entries.add(registration.mailbox_entry_path);
    if (registration.status === 'active') active.add(registration.address);
  }
  const names = fs.existsSync(layout.mailboxes) ? fs.readdirSync(layout.mailboxes).sort() : [];
  for (const name of names) {
    const stashed = stashedAddress(name);
    const address = stashed ?? name;
    if (!isAddress(address) || entries.has(`mailboxes/${name}`)) continue;
    if (stashed === undefined && active.has(address)) continue;
    insertRegistration(db, foundRegistration(layout, { name, address, owner: owners.get(address), at }));
  }
}

function foundRegistration(
  layout: Layout,
  { name, address, owner, at }: { name: string; address: string; owner: string | undefined; at: Date },
): Registration {
  const entry = path.join(layout.mailboxes, name);
  const isLink = fs.lstatSync(entry).isSymbolicLink();
  return {
    registration_id: `reg-${randomHex(16)}`,
    address,
    owner_principal_id: owner ?? localPart(address),
    status: name === address ? 'active' : 'stashed',
    mailbox_kind: isLink ? 'symlink' : 'in_root',
    mailbox_path: isLink ? path.resolve(layout.mailboxes, fs.readlinkSync(entry)) : `mailboxes/${name}`,
    mailbox_entry_path: `mailboxes/${name}`,
    display_name: null,
    manifest_path_hint: null,
    role: null,
    // Older than all mail: its real age is unknown.
    created_at_utc: '1970-01-01T00:00:00Z',
    deactivated_at_utc: name === address ? null : utcSeconds(at),
    replaced_by_registration_id: null,
  };
}

function importAll(db: Sqlite, layout: Layout, saved: Salvage, counts: ImportCounts): void {
  const registrations = listRegistrations(db);
  const context = {
    registrations,
    memory: { states: saved.states, folders: rememberFolders(layout, registrations) },
    counts,
  };
  const has = (id: string): boolean =>
    db.get('SELECT 1 FROM messages WHERE message_id = ?', [id]) !== undefined;
  inBatches(db, filesOf(layout), (document) => importMessage(db, document, context));
  inBatches(db, saved.messages(), (document) => {
    if (has(document.message_id)) return;
    const seq = importMessage(db, document, context);
    db.run(`INSERT INTO unpublished (seq, publisher) VALUES (?, '-')`, [seq]);
  });
  settleWaits(db);
}

function* filesOf(layout: Layout): Generator<MailDocument> {
  for (const scanned of scanMessages(layout)) if ('document' in scanned) yield scanned.document;
}

function inBatches<T>(db: Sqlite, items: Generator<T>, work: (item: T) => void): void {
  for (let done = false; !done; ) {
    db.transaction(() => {
      for (let n = 0; n < BATCH; n++) {
        const next = items.next();
        if (next.done) {
          done = true;
          return;
        }
        work(next.value);
      }
    });
  }
}

function replaceIndex(layout: Layout, building: string, stamp: string): string | null {
  const copy = neverOpened(building);
  const backup = fs.existsSync(layout.index) ? `${layout.index}.unusable-${stamp}.bak` : null;
  for (const suffix of ['', '-wal', '-shm']) {
    const file = layout.index + suffix;
    if (backup !== null && fs.existsSync(file)) fs.renameSync(file, backup + suffix);
    else fs.rmSync(file, { force: true });
  }
  crashPoint('mailbox.repair.moved-aside');
  fs.renameSync(copy, layout.index);
  fsyncDirectory(layout.root);
  removeAll(building);
  return backup;
}

function removeAll(building: string): void {
  for (const suffix of ['', '-wal', '-shm', '.copy']) fs.rmSync(building + suffix, { force: true });
}

/**
 * Returns a file that was never open. SQLite knows an open file by its inode, and this process keeps the built one open
 * until its statements are collected. If that one were renamed into place, this process would use it with the shared
 * memory of the old name and every other process with that of the new one, each blind to the other's writes.
 */
function neverOpened(building: string): string {
  const log = fs.statSync(`${building}-wal`, { throwIfNoEntry: false });
  if (log && log.size > 0) throw internal(`the new index ${building} was not closed completely`);
  const copy = `${building}.copy`;
  fs.copyFileSync(building, copy);
  const fd = fs.openSync(copy, 'r+');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  return copy;
}
