import type { SqliteMigration } from '../../db/index.ts';

/** The names of the first two tables are the contract's; columns after `last_error` and `detail` are additions. */
export const NOTIFIER_MIGRATIONS: SqliteMigration[] = [
  {
    id: 'notifier-1',
    sql: `
      CREATE TABLE gateway_mail_notifier (
        singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
        enabled INTEGER NOT NULL DEFAULT 0,
        interval_seconds INTEGER,
        mode TEXT NOT NULL DEFAULT 'any_inbox' CHECK (mode IN ('any_inbox','unread_only')),
        last_poll_at_utc TEXT,
        last_notification_at_utc TEXT,
        last_notified_digest TEXT,
        last_error TEXT,
        updated_at_utc TEXT NOT NULL,
        repeat_policy TEXT NOT NULL DEFAULT 'every_poll',
        quiet_hours_json TEXT,
        wakes_per_hour INTEGER,
        repeats INTEGER NOT NULL DEFAULT 0
      );
      CREATE TABLE gateway_notifier_audit (
        audit_id INTEGER PRIMARY KEY AUTOINCREMENT,
        poll_time_utc TEXT NOT NULL,
        unread_count INTEGER,
        unread_digest TEXT,
        unread_summary_json TEXT NOT NULL DEFAULT '[]',
        request_admission TEXT,
        active_execution TEXT,
        queue_depth INTEGER,
        outcome TEXT NOT NULL CHECK (outcome IN ('empty','dedup_skip','busy_skip','enqueued','poll_error')),
        enqueued_request_id TEXT,
        detail TEXT,
        facts_json TEXT,
        chain_json TEXT NOT NULL DEFAULT '[]'
      );
      CREATE INDEX gateway_notifier_audit_wakes ON gateway_notifier_audit (poll_time_utc) WHERE outcome = 'enqueued';
      CREATE TABLE gateway_notifier_announced (
        message_ref TEXT PRIMARY KEY,
        request_id TEXT NOT NULL
      );
    `,
  },
];

/**
 * For earlier announcements the request records the process; without that request, the message counts as not announced.
 */
export const NOTIFIER_EPOCH_MIGRATIONS: SqliteMigration[] = [
  {
    id: 'notifier-2-epoch',
    sql: `
      ALTER TABLE gateway_notifier_announced ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
      UPDATE gateway_notifier_announced SET epoch = COALESCE((SELECT managed_agent_instance_epoch
        FROM gateway_requests WHERE gateway_requests.request_id = gateway_notifier_announced.request_id), 0);
    `,
  },
];

/** The text of a wake. */
export const NOTIFIER_TEXT_MIGRATIONS: SqliteMigration[] = [
  {
    id: 'notifier-4-text',
    sql: `
      ALTER TABLE gateway_mail_notifier ADD COLUMN wake_text TEXT NOT NULL DEFAULT 'full';
      ALTER TABLE gateway_mail_notifier ADD COLUMN announce TEXT NOT NULL DEFAULT 'nothing';
    `,
  },
];

/** Threads paused for too many automatic replies, and from when their replies count. */
export const NOTIFIER_THREAD_MIGRATIONS: SqliteMigration[] = [
  {
    id: 'notifier-3-threads',
    sql: `
      CREATE TABLE gateway_mail_threads (
        resumed INTEGER PRIMARY KEY AUTOINCREMENT,
        thread_ref TEXT NOT NULL UNIQUE,
        since_utc TEXT NOT NULL
      );
    `,
  },
];

/** What happens at a usage limit. Null: the default. */
export const NOTIFIER_PARK_MIGRATIONS: SqliteMigration[] = [
  { id: 'notifier-4-park', sql: 'ALTER TABLE gateway_mail_notifier ADD COLUMN park TEXT;' },
];
