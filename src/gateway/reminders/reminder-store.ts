import type { Sqlite, SqliteMigration } from '../../db/index.ts';
import type { ReminderDefinition } from '../../domain/index.ts';
import type { ReminderFacts } from './reminder-events.ts';

export const REMINDER_MIGRATIONS: SqliteMigration[] = [
  {
    id: 'reminders-1',
    sql: `
      CREATE TABLE gateway_reminders (
        reminder_id TEXT PRIMARY KEY,
        definition_json TEXT NOT NULL,
        created_ms REAL NOT NULL,
        anchor_wall_ms REAL NOT NULL,
        due_wall_ms REAL NOT NULL,
        executing INTEGER NOT NULL DEFAULT 0
      );
    `,
  },
];

/** Of reminders that are not durable, just enough to report after a crash which were lost. */
export const LIVE_REMINDER_MIGRATIONS: SqliteMigration[] = [
  {
    id: 'reminders-2-live',
    sql: `
      CREATE TABLE gateway_live_reminders (
        reminder_id TEXT PRIMARY KEY,
        facts_json TEXT NOT NULL
      );
    `,
  },
];

/** What a durable reminder needs to be restored. All times are on the wall clock, since the monotonic one ends with the process. */
export interface StoredReminder {
  reminder_id: string;
  definition: ReminderDefinition;
  created_ms: number;
  anchor_wall_ms: number;
  due_wall_ms: number;
  /** A delivery had begun when the process ended. */
  executing: boolean;
}

/** Durable reminders. Written before a delivery begins, so that a crash never delivers the same slot twice. */
export class ReminderStore {
  #db: Sqlite;

  constructor(db: Sqlite) {
    this.#db = db;
  }

  all(): StoredReminder[] {
    return this.#db
      .all<Omit<StoredReminder, 'definition' | 'executing'> & { definition_json: string; executing: number }>(
        'SELECT * FROM gateway_reminders',
      )
      .map(({ definition_json, executing, ...row }) => ({
        ...row,
        definition: JSON.parse(definition_json) as ReminderDefinition,
        executing: executing === 1,
      }));
  }

  save(reminders: readonly StoredReminder[]): void {
    if (reminders.length === 0) return;
    this.#db.transaction((db) => {
      for (const each of reminders) {
        db.run('DELETE FROM gateway_live_reminders WHERE reminder_id = ?', [each.reminder_id]);
        db.run('INSERT OR REPLACE INTO gateway_reminders VALUES (?, ?, ?, ?, ?, ?)', [
          each.reminder_id,
          JSON.stringify(each.definition),
          each.created_ms,
          each.anchor_wall_ms,
          each.due_wall_ms,
          each.executing ? 1 : 0,
        ]);
      }
    });
  }

  remove(id: string): void {
    this.#db.transaction((db) => {
      for (const table of ['gateway_reminders', 'gateway_live_reminders'])
        db.run(`DELETE FROM ${table} WHERE reminder_id = ?`, [id]);
    });
  }

  /** Stores the facts to report when these are lost with the process. */
  saveLive(lives: readonly { reminder_id: string; facts: Record<string, unknown> }[]): void {
    if (lives.length === 0) return;
    this.#db.transaction((db) => {
      for (const { reminder_id, facts } of lives) {
        db.run('DELETE FROM gateway_reminders WHERE reminder_id = ?', [reminder_id]);
        db.run('INSERT OR REPLACE INTO gateway_live_reminders VALUES (?, ?)', [
          reminder_id,
          JSON.stringify(facts),
        ]);
      }
    });
  }

  /** Reports every live reminder as lost and removes its facts. */
  removeLive(report: (facts: ReminderFacts) => void): void {
    const rows = this.#db.all<{ facts_json: string }>(
      'SELECT facts_json FROM gateway_live_reminders ORDER BY rowid',
    );
    for (const row of rows) report(JSON.parse(row.facts_json) as ReminderFacts);
    if (rows.length > 0) this.#db.run('DELETE FROM gateway_live_reminders');
  }
}
