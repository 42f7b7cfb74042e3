import type { SqliteMigration } from '../../db/index.ts';
import {
  codesOf,
  NOTICE_STATES,
  NOTICE_STEPS,
  OPEN_NOTICES,
  sqlList,
  WAIT_CONDITIONS,
} from '../../domain/index.ts';

/**
 * notices.sqlite. `subscriptions`: a channel of another version is left out when they are read. `needs`: what needed a person, and from when to when. `notices`: one row per need and subscription.
 * `notice_steps`: what happened to each. Append only.
 */
export const OUTBOX_MIGRATIONS: readonly SqliteMigration[] = [
  {
    id: 'notices-1',
    sql: `
CREATE TABLE subscriptions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  channel TEXT NOT NULL,
  settings_json TEXT NOT NULL,
  target_json TEXT NOT NULL,
  created_at_utc TEXT NOT NULL,
  removed_at_utc TEXT,
  failing_since_utc TEXT,
  failure TEXT
) STRICT;
CREATE TABLE needs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner TEXT NOT NULL,
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  agent TEXT,
  person TEXT,
  words TEXT NOT NULL,
  command TEXT,
  href TEXT,
  since_utc TEXT,
  writer TEXT,
  opened_at_ms INTEGER NOT NULL,
  over_at_ms INTEGER
) STRICT;
CREATE UNIQUE INDEX needs_open ON needs (owner, key) WHERE over_at_ms IS NULL;
CREATE INDEX needs_over ON needs (over_at_ms) WHERE over_at_ms IS NOT NULL;
CREATE TABLE notices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  need_id INTEGER NOT NULL REFERENCES needs (id) ON DELETE CASCADE,
  subscription_id INTEGER NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ${sqlList(codesOf(NOTICE_STATES))}),
  trying INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  sendings INTEGER NOT NULL DEFAULT 0,
  next_try_at_ms INTEGER,
  sent_at_ms INTEGER,
  receipt TEXT,
  UNIQUE (need_id, subscription_id)
) STRICT;
CREATE INDEX notices_open ON notices (subscription_id, id) WHERE state IN ${sqlList(OPEN_NOTICES)};
CREATE TABLE notice_steps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  notice_id INTEGER NOT NULL REFERENCES notices (id) ON DELETE CASCADE,
  step TEXT NOT NULL CHECK (step IN ${sqlList(codesOf(NOTICE_STEPS))}),
  at_utc TEXT NOT NULL,
  detail TEXT
) STRICT;
CREATE INDEX notice_steps_of ON notice_steps (notice_id, id);
CREATE TABLE waits (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  condition TEXT NOT NULL CHECK (condition IN ${sqlList(codesOf(WAIT_CONDITIONS))}),
  recipient_json TEXT NOT NULL,
  before_json TEXT NOT NULL,
  created_at_utc TEXT NOT NULL,
  came_true_at_utc TEXT,
  sent_at_utc TEXT,
  failure TEXT
) STRICT;
CREATE INDEX waits_open ON waits (id) WHERE sent_at_utc IS NULL;
`,
  },
];
