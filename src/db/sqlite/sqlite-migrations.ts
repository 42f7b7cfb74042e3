import { internal, notReady, unsupported } from '../../base/index.ts';
import type { Sqlite } from './sqlite-connection.ts';

/** One additive step of a schema. Never change or reorder a released step; add one at the end. */
export interface SqliteMigration {
  id: string;
  sql: string | ((db: Sqlite) => void);
}

const TABLE = 'schema_migrations';

/**
 * Brings the database to the last step. Each step and its record are one transaction, decided under the write lock, so
 * that processes which open the file together apply each step once. Writes nothing if nothing is missing.
 */
export function migrateSqlite(db: Sqlite, migrations: readonly SqliteMigration[]): void {
  refuseDuplicates(migrations);
  const missing = (): SqliteMigration[] => missingSteps(db, migrations);
  if (missing().length === 0) return;
  if (db.readOnly) {
    throw notReady(`database ${db.file} has an older layout than this version needs`, {
      hint: 'open it once for writing: start the program that owns it',
    });
  }
  db.exec(`CREATE TABLE IF NOT EXISTS ${TABLE} (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, applied_at TEXT NOT NULL) STRICT`);
  while (missing().length > 0) {
    db.transaction(() => {
      const [next] = missing();
      if (next) apply(db, next, migrations.indexOf(next));
    });
  }
}

function apply(db: Sqlite, step: SqliteMigration, position: number): void {
  if (typeof step.sql === 'string') db.exec(step.sql);
  else step.sql(db);
  db.run(
    `INSERT INTO ${TABLE} (position, id, applied_at) VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`,
    [position, step.id],
  );
}

/** The missing steps. The applied ones must be a prefix of our list; otherwise the file is from other code. */
function missingSteps(db: Sqlite, migrations: readonly SqliteMigration[]): SqliteMigration[] {
  const exists = db.get('SELECT 1 FROM sqlite_schema WHERE type = ? AND name = ?', ['table', TABLE]);
  const applied = exists ? db.all<{ id: string }>(`SELECT id FROM ${TABLE} ORDER BY position`) : [];
  applied.forEach(({ id }, index) => {
    if (migrations[index]?.id === id) return;
    throw unsupported(
      `database ${db.file} was written by another version (layout step ${id} is unknown here)`,
      {
        hint: 'update Rouse to the version that wrote it, or use another file',
        facts: { step: id },
      },
    );
  });
  return migrations.slice(applied.length);
}

function refuseDuplicates(migrations: readonly SqliteMigration[]): void {
  const ids = new Set(migrations.map(({ id }) => id));
  if (ids.size !== migrations.length) throw internal('two migrations have the same id');
}
