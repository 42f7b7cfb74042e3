import * as fs from 'node:fs';
import { openSqlite, type Sqlite } from '../../../db/index.ts';
import type { MailDocument } from '../../../domain/index.ts';
import type { Registration } from '../accounts/registration-rows.ts';
import type { Envelope } from '../message-rows.ts';
import { readStateJournal, stateKey } from '../publish/state-journal.ts';
import { INDEX_MIGRATIONS } from '../root/index-schema.ts';
import type { Layout } from '../root/layout.ts';
import type { KnownState } from './import-message.ts';

/** What is still readable of an index, and of its journal. */
export interface Salvage {
  registrations: Map<string, Registration>;
  states: Map<string, KnownState>;
  /** Every message that is still readable in the old index. */
  messages(): Generator<MailDocument>;
  close(): void;
}

/** True when SQLite finds nothing wrong with the index. */
export function indexIsSound(db: Sqlite): boolean {
  try {
    return db.get<{ quick_check: string }>('PRAGMA quick_check(1)')?.quick_check === 'ok';
  } catch {
    return false;
  }
}

/** Reads the journal first, then the old index, which is the better source. */
export function salvage(layout: Layout): Salvage {
  const { registrations, states: lines } = readStateJournal(layout.stateJournal);
  const states = new Map<string, KnownState>(lines);
  const old = openQuietly(layout);
  if (old) {
    readWhatCan(old, registrations, states);
  }
  return {
    registrations,
    states,
    messages: () => messagesOf(old),
    close: () => old?.close(),
  };
}

function openQuietly(layout: Layout): Sqlite | undefined {
  if (!fs.existsSync(layout.index)) return undefined;
  try {
    return openSqlite({ file: layout.index, migrations: INDEX_MIGRATIONS, readOnly: true });
  } catch {
    return undefined;
  }
}

function readWhatCan(
  old: Sqlite,
  registrations: Map<string, Registration>,
  states: Map<string, KnownState>,
): void {
  attempt(() => {
    for (const { number: _number, ...row } of old.iterate<Registration & { number?: number }>(
      'SELECT * FROM mailbox_registrations',
    )) {
      registrations.set(row.registration_id, row);
    }
  });
  attempt(() => {
    for (const row of old.iterate<KnownState>(
      `SELECT r.registration_id, m.message_id, s.box, s.is_read, s.is_answered, s.is_starred, s.is_deleted
       FROM mail_state s JOIN messages m ON m.seq = s.seq
       JOIN mailbox_registrations r ON r.number = s.registration`,
    )) {
      states.set(stateKey(row.registration_id, row.message_id), row);
    }
  });
}

function* messagesOf(old: Sqlite | undefined): Generator<MailDocument> {
  if (!old) return;
  try {
    for (const row of old.iterate<{ envelope_json: string; body: string }>(
      'SELECT m.envelope_json, b.body FROM messages m JOIN message_bodies b ON b.seq = m.seq ORDER BY m.seq',
    )) {
      yield { ...(JSON.parse(row.envelope_json) as Envelope), body: row.body };
    }
  } catch {
    // Damaged from here on. The files have the rest.
  }
}

function attempt(read: () => void): void {
  try {
    read();
  } catch {
    // What was read before the damage is kept.
  }
}
