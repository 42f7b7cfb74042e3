import type { SqliteMigration } from '../../../db/index.ts';

/**
 * One database for the whole root, so that one transaction is the commit point of every operation, for any number of
 * recipients.
 *
 *   mailbox_versions           counts the changes of each mailbox
 *   messages, message_bodies   what was sent; immutable. seq is the order of commits and of every list
 *   mail_state                 one row per mailbox that has the message: box and flags
 *   unpublished                messages whose file or links may not be on disk yet, and their publisher
 *   mail_search                full text; filled in batches up to meta.searchable_through
 *   messages_by_thread         the messages of a conversation, without reading the others
 */
export const INDEX_MIGRATIONS: readonly SqliteMigration[] = [
  {
    id: '001-mail',
    sql: `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE mailbox_registrations (
  number INTEGER PRIMARY KEY,
  registration_id TEXT NOT NULL UNIQUE,
  address TEXT NOT NULL,
  owner_principal_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'stashed')),
  mailbox_kind TEXT NOT NULL CHECK (mailbox_kind IN ('in_root', 'symlink')),
  mailbox_path TEXT NOT NULL,
  mailbox_entry_path TEXT NOT NULL,
  display_name TEXT,
  manifest_path_hint TEXT,
  role TEXT,
  created_at_utc TEXT NOT NULL,
  deactivated_at_utc TEXT,
  replaced_by_registration_id TEXT
) STRICT;
CREATE UNIQUE INDEX one_active_registration ON mailbox_registrations (address) WHERE status = 'active';
CREATE INDEX registrations_by_owner ON mailbox_registrations (owner_principal_id);

CREATE TABLE mailbox_versions (registration INTEGER PRIMARY KEY, version INTEGER NOT NULL) STRICT;

CREATE TABLE messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT NOT NULL UNIQUE,
  created_at_utc TEXT NOT NULL,
  subject TEXT NOT NULL,
  envelope_json TEXT NOT NULL,
  body_preview TEXT NOT NULL,
  idempotency_scope TEXT,
  idempotency_key TEXT,
  content_sha256 TEXT
) STRICT;
CREATE INDEX messages_by_time ON messages (created_at_utc);
CREATE UNIQUE INDEX messages_by_key ON messages (idempotency_scope, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

CREATE TABLE message_bodies (seq INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;

CREATE TABLE mail_state (
  seq INTEGER NOT NULL,
  registration INTEGER NOT NULL,
  box TEXT NOT NULL,
  is_read INTEGER NOT NULL DEFAULT 0,
  is_answered INTEGER NOT NULL DEFAULT 0,
  is_starred INTEGER NOT NULL DEFAULT 0,
  is_deleted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (seq, registration)
) STRICT, WITHOUT ROWID;
CREATE INDEX mail_by_box ON mail_state (registration, box, seq, is_read, is_answered) WHERE is_deleted = 0;
CREATE INDEX mail_unread ON mail_state (registration, box, seq) WHERE is_deleted = 0 AND is_read = 0;

CREATE TABLE managed_attachments (
  attachment_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, path TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX managed_by_message ON managed_attachments (seq);

CREATE TABLE unpublished (seq INTEGER PRIMARY KEY, publisher TEXT NOT NULL) STRICT;

CREATE VIRTUAL TABLE mail_search USING fts5 (subject, body, content = '', contentless_delete = 1);
`,
  },
  {
    // Who waits for whose answer, by address; derived from messages and flags, so that it can be made again.
    id: '002-waits',
    sql: `
CREATE TABLE waits (
  seq INTEGER NOT NULL,
  waiter TEXT NOT NULL,
  whom TEXT NOT NULL,
  by_utc TEXT,
  ends_utc TEXT NOT NULL,
  reported INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (seq, whom)
) STRICT, WITHOUT ROWID;
CREATE INDEX waits_of ON waits (waiter, whom, ends_utc);
CREATE INDEX waits_for ON waits (whom, waiter, ends_utc);
CREATE INDEX waits_by_end ON waits (ends_utc);
CREATE INDEX waits_due ON waits (by_utc) WHERE by_utc IS NOT NULL AND reported = 0;
`,
  },
  {
    id: '003-threads',
    sql: `
CREATE INDEX messages_by_thread ON messages (json_extract(envelope_json, '$.thread_id'), seq);
`,
  },
];
