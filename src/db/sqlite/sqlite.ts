import { type ConnectionOptions, Sqlite } from './sqlite-connection.ts';
import { sqliteError } from './sqlite-errors.ts';
import { migrateSqlite, type SqliteMigration } from './sqlite-migrations.ts';

export interface SqliteOptions extends ConnectionOptions {
  migrations: readonly SqliteMigration[];
}

/** Opens a database and brings it to the last migration. Throws a RouseError that names the file. */
export function openSqlite(options: SqliteOptions): Sqlite {
  const db = new Sqlite(options);
  try {
    migrateSqlite(db, options.migrations);
    return db;
  } catch (error) {
    db.close();
    throw sqliteError(options.file, error);
  }
}
