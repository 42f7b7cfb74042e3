import * as fs from 'node:fs';
import * as path from 'node:path';
import { forbidden, notFound, utcSeconds } from '../../../base/index.ts';
import { OPERATOR, parseAddress, type UnregisterMode } from '../../../domain/index.ts';
import type { OpenRoot } from '../root/open-root.ts';
import { endWaitsOf } from '../waits/wait-rows.ts';
import { removeEntry } from './mailbox-entry.ts';
import {
  activeRegistration,
  listRegistrations,
  type RegistrationRow,
  updateRegistration,
} from './registration-rows.ts';

export interface UnregisterResult {
  ok: true;
  mode: UnregisterMode;
  address: string;
  target_registration_id: string;
  resulting_status: 'inactive' | 'purged';
  deactivated_registration_id?: string;
  purged_registration_id?: string;
}

export function unregister(store: OpenRoot, typed: string, mode: UnregisterMode): UnregisterResult {
  const canonical = parseAddress(typed);
  const address = activeRegistration(store.db, typed.trim())?.address ?? canonical;
  if (address === OPERATOR.address) {
    throw forbidden('the operator mailbox cannot be unregistered', {
      hint: 'posts and their replies need it',
    });
  }
  const target = store.transaction((db) => {
    store.book.newEdition(db);
    const found = findTarget(store, address, mode);
    const { number, ...row } = found;
    if (row.status === 'active') endWaitsOf(db, address);
    if (mode === 'purge') {
      db.run('DELETE FROM mail_state WHERE registration = ?', [number]);
      db.run('DELETE FROM mailbox_versions WHERE registration = ?', [number]);
      db.run('DELETE FROM mailbox_registrations WHERE number = ?', [number]);
      store.journal.append([{ kind: 'purged', registration_id: row.registration_id }]);
      return found;
    }
    const changes = { status: 'inactive', deactivated_at_utc: utcSeconds(store.clock.now()) } as const;
    updateRegistration(db, number, changes);
    store.journal.append([{ kind: 'registration', ...row, ...changes }]);
    return found;
  });
  const id = target.registration_id;
  const report = { ok: true, mode, address, target_registration_id: id } as const;
  if (mode === 'deactivate') {
    return { ...report, resulting_status: 'inactive', deactivated_registration_id: id };
  }
  removeEntry(path.join(store.layout.root, target.mailbox_entry_path));
  if (listRegistrations(store.db, address).length === 0) {
    fs.rmSync(path.join(store.layout.signals, address), { force: true });
  }
  return { ...report, resulting_status: 'purged', purged_registration_id: id };
}

function findTarget(store: OpenRoot, address: string, mode: UnregisterMode): RegistrationRow {
  const all = listRegistrations(store.db, address);
  const found = all.find(({ status }) => status === 'active') ?? (mode === 'purge' ? all[0] : undefined);
  if (found) return found;
  if (all.length > 0) {
    throw notFound(`mailbox ${address} is not active (${all[0]!.status})`, {
      hint: 'use --mode purge to forget it',
    });
  }
  throw store.unknownMailbox(address);
}
