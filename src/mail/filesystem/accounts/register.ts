import * as fs from 'node:fs';
import * as path from 'node:path';
import { conflict, randomHex, utcSeconds } from '../../../base/index.ts';
import type { Sqlite } from '../../../db/index.ts';
import type { RegisterMode } from '../../../domain/index.ts';
import type { Layout } from '../root/layout.ts';
import type { OpenRoot } from '../root/open-root.ts';
import { endWaitsOf } from '../waits/wait-rows.ts';
import { isBareFolder, placeMailbox, stashEntry } from './mailbox-entry.ts';
import { checkRegisterRequest, type RegisterRequest, type Wanted } from './register-request.ts';
import {
  activeRegistration,
  insertRegistration,
  listRegistrations,
  type Registration,
  type RegistrationRow,
  updateRegistration,
} from './registration-rows.ts';

export interface RegisterResult {
  ok: true;
  mode: RegisterMode;
  address: string;
  active_registration_id: string;
  owner_principal_id: string;
  status: 'active';
  reused_existing?: true;
  replaced_registration_id?: string;
  stashed_registration_id?: string;
  stashed_mailbox_path?: string;
}

/** Registers an address for a principal. `safe` never takes anything away; `force` replaces; `stash` puts aside. */
export function register(store: OpenRoot, request: RegisterRequest): RegisterResult {
  const mode = request.mode ?? 'safe';
  const wanted = checkRegisterRequest(store.layout, request);
  const report = {
    ok: true,
    mode,
    address: wanted.address,
    owner_principal_id: wanted.owner_principal_id,
    status: 'active',
  } as const;
  let afterCommit = (): void => {};
  const result = store.transaction((db): RegisterResult => {
    store.book.newEdition(db);
    const active = activeRegistration(db, wanted.address);
    const holder = active ?? occupantOf(db, store.layout, wanted);
    if (holder && isSame(holder, wanted)) {
      keep(store, db, holder, wanted);
      return { ...report, active_registration_id: holder.registration_id, reused_existing: true };
    }
    refuseTakenPath(db, wanted);
    const id = `reg-${randomHex(16)}`;
    const replaced = makeRoom(store, db, { holder, wanted, mode, id });
    const fresh: Registration = {
      ...wanted,
      registration_id: id,
      created_at_utc: utcSeconds(store.clock.now()),
      deactivated_at_utc: null,
    };
    insertRegistration(db, fresh);
    store.journal.append([{ kind: 'registration', ...fresh }]);
    const clears = replaced.discard;
    afterCommit = () => placeMailbox(store.layout, wanted, { clear: clears });
    if (!clears) placeMailbox(store.layout, wanted, { clear: false });
    return { ...report, active_registration_id: id, ...replaced.result };
  });
  afterCommit();
  return result;
}

function isSame(known: Registration, wanted: Wanted): boolean {
  const keys = [
    'address',
    'owner_principal_id',
    'mailbox_kind',
    'mailbox_path',
    'mailbox_entry_path',
  ] as const;
  return keys.every((key) => known[key] === wanted[key]);
}

/** The inactive registration whose mailbox is still at the wanted place. */
function occupantOf(db: Sqlite, layout: Layout, wanted: Wanted): RegistrationRow | undefined {
  if (!fs.lstatSync(path.join(layout.root, wanted.mailbox_entry_path), { throwIfNoEntry: false }))
    return undefined;
  return listRegistrations(db, wanted.address).find(
    ({ status, mailbox_entry_path: entry }) => status === 'inactive' && entry === wanted.mailbox_entry_path,
  );
}

function refuseTakenPath(db: Sqlite, wanted: Wanted): void {
  if (wanted.mailbox_kind !== 'symlink') return;
  const other = listRegistrations(db).find(
    ({ status, mailbox_path: taken, address }) =>
      status === 'active' && taken === wanted.mailbox_path && address !== wanted.address,
  );
  if (other) {
    throw conflict(`directory ${wanted.mailbox_path} is already the mailbox of ${other.address}`);
  }
}

function keep(store: OpenRoot, db: Sqlite, known: RegistrationRow, wanted: Wanted): void {
  const { display_name, manifest_path_hint, role } = wanted;
  updateRegistration(db, known.number, { status: 'active', display_name, manifest_path_hint, role });
  const { number: _number, ...row } = known;
  store.journal.append([{ kind: 'registration', ...row, status: 'active', deactivated_at_utc: null }]);
  placeMailbox(store.layout, wanted, { clear: false });
}

/** Makes room for a new registration or refuses, depending on the mode. */
function makeRoom(
  store: OpenRoot,
  db: Sqlite,
  {
    holder,
    wanted,
    mode,
    id,
  }: { holder: RegistrationRow | undefined; wanted: Wanted; mode: RegisterMode; id: string },
): { discard: boolean; result: Partial<RegisterResult> } {
  const entry = path.join(store.layout.root, wanted.mailbox_entry_path);
  const stranger = !holder && !isBareFolder(entry);
  if (!holder && !stranger) return { discard: false, result: {} };
  if (mode === 'safe') {
    const whose = holder
      ? `${wanted.address} is registered by ${holder.owner_principal_id} (${holder.status})`
      : `${entry} exists and belongs to no registration`;
    throw conflict(whose, {
      hint: 'use --mode stash to put the old mailbox aside, or --mode force to replace it',
      facts: { registration_id: holder?.registration_id ?? null },
    });
  }
  if (mode === 'stash') {
    const stashed = stashEntry(store.layout, wanted.mailbox_entry_path);
    if (!holder) return { discard: false, result: { stashed_mailbox_path: stashed } };
    retire(store, db, holder, { status: 'stashed', entry: stashed, id });
    return {
      discard: false,
      result: { stashed_registration_id: holder.registration_id, stashed_mailbox_path: stashed },
    };
  }
  if (!holder) return { discard: true, result: {} };
  retire(store, db, holder, { status: 'inactive', id });
  db.run('DELETE FROM mail_state WHERE registration = ?', [holder.number]);
  return { discard: true, result: { replaced_registration_id: holder.registration_id } };
}

function retire(
  store: OpenRoot,
  db: Sqlite,
  old: RegistrationRow,
  to: { status: 'inactive' | 'stashed'; entry?: string; id: string },
): void {
  endWaitsOf(db, old.address);
  const moved = to.entry === undefined ? {} : { mailbox_entry_path: to.entry };
  const changes = {
    status: to.status,
    ...moved,
    ...(to.entry !== undefined && old.mailbox_kind === 'in_root' ? { mailbox_path: to.entry } : {}),
    deactivated_at_utc: utcSeconds(store.clock.now()),
    replaced_by_registration_id: to.id,
  };
  updateRegistration(db, old.number, changes);
  const { number: _number, ...row } = old;
  store.journal.append([{ kind: 'registration', ...row, ...changes }]);
}
