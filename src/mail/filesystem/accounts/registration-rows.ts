import type { Sqlite } from '../../../db/index.ts';
import { canonicalAddress, type MailPrincipal } from '../../../domain/index.ts';

export const REGISTRATION_STATUSES = ['active', 'inactive', 'stashed'] as const;
export type RegistrationStatus = (typeof REGISTRATION_STATUSES)[number];
export const MAILBOX_KINDS = ['in_root', 'symlink'] as const;
export type MailboxKind = (typeof MAILBOX_KINDS)[number];

/** Who has, or had, a mailbox in this root. Paths are relative to the root unless they are outside it. */
export interface Registration {
  registration_id: string;
  address: string;
  owner_principal_id: string;
  status: RegistrationStatus;
  mailbox_kind: MailboxKind;
  /** The directory with the boxes. */
  mailbox_path: string;
  /** Its name in mailboxes/: the directory itself, or a symlink to it. */
  mailbox_entry_path: string;
  display_name: string | null;
  manifest_path_hint: string | null;
  role: string | null;
  created_at_utc: string;
  deactivated_at_utc: string | null;
  replaced_by_registration_id: string | null;
}

/** With the small key that other tables use. */
export interface RegistrationRow extends Registration {
  number: number;
}

/** Finds the address as written, which an older store may have, else its canonical form. */
export function activeRegistration(db: Sqlite, address: string): RegistrationRow | undefined {
  return db.get<RegistrationRow>(
    `SELECT * FROM mailbox_registrations WHERE address IN (:address, :canonical) AND status = 'active'
     ORDER BY address = :address DESC LIMIT 1`,
    { address, canonical: canonicalAddress(address) },
  );
}

export function registrationByNumber(db: Sqlite, number: number): RegistrationRow | undefined {
  return db.get<RegistrationRow>('SELECT * FROM mailbox_registrations WHERE number = ?', [number]);
}

/** All registrations, or those of one address: active first, then stashed, then newest. */
export function listRegistrations(db: Sqlite, address?: string): RegistrationRow[] {
  return db.all<RegistrationRow>(
    `SELECT * FROM mailbox_registrations WHERE :address IS NULL OR address = :address
     ORDER BY address, CASE status WHEN 'active' THEN 0 WHEN 'stashed' THEN 1 ELSE 2 END, number DESC`,
    { address: address ?? null },
  );
}

export function insertRegistration(db: Sqlite, registration: Registration): number {
  const { lastInsertRowid } = db.run(
    `INSERT INTO mailbox_registrations (registration_id, address, owner_principal_id, status, mailbox_kind,
       mailbox_path, mailbox_entry_path, display_name, manifest_path_hint, role, created_at_utc,
       deactivated_at_utc, replaced_by_registration_id)
     VALUES (:registration_id, :address, :owner_principal_id, :status, :mailbox_kind, :mailbox_path,
       :mailbox_entry_path, :display_name, :manifest_path_hint, :role, :created_at_utc, :deactivated_at_utc,
       :replaced_by_registration_id)`,
    { ...registration },
  );
  return Number(lastInsertRowid);
}

export function updateRegistration(db: Sqlite, number: number, changes: Partial<Registration>): void {
  const { status, mailbox_path, mailbox_entry_path, display_name, manifest_path_hint, role } = changes;
  db.run(
    `UPDATE mailbox_registrations SET
       status = coalesce(:status, status),
       mailbox_path = coalesce(:mailbox_path, mailbox_path),
       mailbox_entry_path = coalesce(:mailbox_entry_path, mailbox_entry_path),
       display_name = coalesce(:display_name, display_name),
       manifest_path_hint = coalesce(:manifest_path_hint, manifest_path_hint),
       role = coalesce(:role, role),
       deactivated_at_utc = CASE WHEN :clears THEN NULL ELSE coalesce(:deactivated, deactivated_at_utc) END,
       replaced_by_registration_id = coalesce(:replaced, replaced_by_registration_id)
     WHERE number = :number`,
    {
      number,
      status: status ?? null,
      mailbox_path: mailbox_path ?? null,
      mailbox_entry_path: mailbox_entry_path ?? null,
      display_name: display_name ?? null,
      manifest_path_hint: manifest_path_hint ?? null,
      role: role ?? null,
      clears: changes.status === 'active',
      deactivated: changes.deactivated_at_utc ?? null,
      replaced: changes.replaced_by_registration_id ?? null,
    },
  );
}

/** Advances the version of this mailbox. Call after any change in it. */
export function bumpVersion(db: Sqlite, number: number): void {
  db.run(
    `INSERT INTO mailbox_versions (registration, version) VALUES (?, 1)
     ON CONFLICT (registration) DO UPDATE SET version = version + 1`,
    [number],
  );
}

export function versionOf(db: Sqlite, number: number): number {
  return (
    db.get<{ version: number }>('SELECT version FROM mailbox_versions WHERE registration = ?', [number])
      ?.version ?? 0
  );
}

export function principalOf(registration: Registration): MailPrincipal {
  const { owner_principal_id, address, display_name, manifest_path_hint, role } = registration;
  return {
    principal_id: owner_principal_id,
    address,
    ...(display_name === null ? {} : { display_name }),
    ...(manifest_path_hint === null ? {} : { manifest_path_hint }),
    ...(role === null ? {} : { role }),
  };
}
