import * as fs from 'node:fs';
import * as path from 'node:path';
import { messageOf } from '../../../base/index.ts';
import { removeEntry } from '../accounts/mailbox-entry.ts';
import { listRegistrations, type RegistrationRow } from '../accounts/registration-rows.ts';
import type { OpenRoot } from '../root/open-root.ts';
import { type MaintenanceAction, type MaintenanceReport, maintenanceReport } from './maintenance.ts';

export interface CleanupOptions {
  /** Min age of inactive and stashed registrations to remove. 0 means any age. */
  inactive_older_than_seconds?: number;
  stashed_older_than_seconds?: number;
  dry_run?: boolean;
}

/** A younger copy may belong to a message that is being sent. */
const COPY_SETTLED_MS = 60 * 60_000;

/** Removes unused mailboxes and copies that no message refers to. Never touches messages or active mailboxes. */
export function cleanup(root: OpenRoot, options: CleanupOptions): MaintenanceReport {
  const { inactive_older_than_seconds: inactive = 0, stashed_older_than_seconds: stashed = 0 } = options;
  const limits = { inactive, stashed };
  const now = root.clock.now().getTime();
  const planned: { action: MaintenanceAction; apply: () => void }[] = [];
  const preserved: MaintenanceAction[] = [];
  for (const registration of listRegistrations(root.db)) {
    const { status } = registration;
    if (status === 'active') {
      preserved.push(about(root, registration, 'keep', 'active'));
      continue;
    }
    const since = Date.parse(registration.deactivated_at_utc ?? registration.created_at_utc);
    if (now - since < limits[status] * 1000) preserved.push(about(root, registration, 'keep', 'too recent'));
    else {
      const action = about(root, registration, 'remove', `${status} long enough`);
      planned.push({ action, apply: () => forget(root, registration) });
    }
  }
  for (const copy of orphanedCopies(root, now - COPY_SETTLED_MS)) {
    const action: MaintenanceAction = {
      artifact_kind: 'managed_attachment',
      path: copy,
      proposed_action: 'remove',
      reason: 'no message refers to it',
    };
    planned.push({ action, apply: () => fs.rmSync(copy, { recursive: true, force: true }) });
  }
  return run({ dryRun: options.dry_run ?? false, planned, preserved, limits });
}

function run(parts: {
  dryRun: boolean;
  planned: { action: MaintenanceAction; apply: () => void }[];
  preserved: MaintenanceAction[];
  limits: { inactive: number; stashed: number };
}): MaintenanceReport {
  const { dryRun, planned, preserved, limits } = parts;
  const scope = {
    kind: 'mailbox_cleanup',
    inactive_older_than_seconds: limits.inactive,
    stashed_older_than_seconds: limits.stashed,
  };
  const applied: MaintenanceAction[] = [];
  const blocked: MaintenanceAction[] = [];
  if (!dryRun) {
    for (const { action, apply } of planned) {
      try {
        apply();
        applied.push(action);
      } catch (error) {
        blocked.push({ ...action, reason: messageOf(error) });
      }
    }
  }
  return maintenanceReport(scope, {
    dryRun,
    planned: planned.map(({ action }) => action),
    applied,
    blocked,
    preserved,
  });
}

function about(
  root: OpenRoot,
  registration: RegistrationRow,
  proposed: MaintenanceAction['proposed_action'],
  reason: string,
): MaintenanceAction {
  const { registration_id, address, status } = registration;
  return {
    artifact_kind: status === 'active' ? 'active_registration' : 'mailbox_registration',
    path: path.join(root.layout.root, registration.mailbox_entry_path),
    proposed_action: proposed,
    reason,
    details: { registration_id, address, status },
  };
}

function forget(root: OpenRoot, registration: RegistrationRow): void {
  root.transaction((db) => {
    root.book.newEdition(db);
    db.run('DELETE FROM mail_state WHERE registration = ?', [registration.number]);
    db.run('DELETE FROM mailbox_versions WHERE registration = ?', [registration.number]);
    db.run('DELETE FROM mailbox_registrations WHERE number = ?', [registration.number]);
    root.journal.append([{ kind: 'purged', registration_id: registration.registration_id }]);
  });
  const others = listRegistrations(root.db, registration.address);
  const shared = others.some(({ mailbox_entry_path: entry }) => entry === registration.mailbox_entry_path);
  if (!shared) removeEntry(path.join(root.layout.root, registration.mailbox_entry_path));
}

function orphanedCopies(root: OpenRoot, olderThan: number): string[] {
  const { managed } = root.layout;
  if (!fs.existsSync(managed)) return [];
  return fs.readdirSync(managed).flatMap((id) => {
    const known = root.db.get('SELECT 1 FROM managed_attachments WHERE attachment_id = ?', [id]);
    const directory = path.join(managed, id);
    return known || fs.lstatSync(directory).mtimeMs > olderThan ? [] : [directory];
  });
}
