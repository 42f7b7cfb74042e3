/**
 * Db: the databases. SQLite beside an agent; PostgreSQL, or PostgreSQL embedded in the process, behind the fleet.
 *
 * Promises  Committed work survives kill -9 at any instant; a promise of commitTogether() resolves after fsync.
 *           Values come back unchanged or are refused: U+0000, undefined, Date, NaN never become something else.
 *           Migrations run once, even if several processes open a database at the same moment.
 * Never     Builds SQL, knows a table of the product, or opens a database that newer code has written.
 * Errors    `invalid` for a value that cannot be stored, `conflict` for a taken key or directory, `unavailable` for a
 *           busy, full or unreachable store, `unsupported` for a layout of another version, `internal` for the rest.
 */

export { type BackupHeader, packBackup, readBackupHeader, unpackBackup } from './embedded/backup-file.ts';
export { EMBEDDED_VERSION, replaceEmbedded } from './embedded/directory.ts';
export { openEmbedded } from './embedded/embedded.ts';
export { snapshotEmbedded } from './embedded/snapshot.ts';
export { asParty } from './fair-lanes.ts';
export { openPostgres } from './postgres.ts';
export { serializable } from './serializable.ts';
export type { Sql, SqlValue } from './sql.ts';
export { isDatabaseAway, isDatabaseFull, sqlStateOf } from './sql-errors.ts';
export { migrate, type SqlMigration } from './sql-migrations.ts';
export { asJson } from './sql-parameters.ts';
export { openSqlite } from './sqlite/sqlite.ts';
export type { Sqlite } from './sqlite/sqlite-connection.ts';
export type { SqliteMigration } from './sqlite/sqlite-migrations.ts';
export type { SqliteValue } from './sqlite/sqlite-values.ts';
