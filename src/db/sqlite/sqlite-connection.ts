import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { type Clock, crashPoint, internal, systemClock, unavailable } from '../../base/index.ts';
import { GroupCommit } from './group-commit.ts';
import { LogSync } from './log-sync.ts';
import { isBusy, sqliteError } from './sqlite-errors.ts';
import { openSqliteFile } from './sqlite-file.ts';
import { type Prepared, StatementCache } from './sqlite-statements.ts';
import { bindable, exactNumber, readRow, type SqliteParams } from './sqlite-values.ts';
import { WriteTurn } from './write-turn.ts';

export interface ConnectionOptions {
  /** Made with mode 0600 if missing, with its directory. `:memory:` for a database without a file. */
  file: string;
  readOnly?: boolean;
  /** With readOnly: no one writes to it, so it is read without the files of a write-ahead log. */
  immutable?: boolean;
  /** How long to wait for another writer. Default 5 s. */
  busyTimeoutMs?: number;
  /** fsync at each commit. Default true; false survives the death of the process, not of the machine. */
  durable?: boolean;
  /** A lock file, for a database that several processes write to all the time: they take turns in commitTogether(). */
  turnFile?: string | undefined;
  clock?: Clock;
}

export interface SqliteRunResult {
  changes: number;
  lastInsertRowid: number | bigint;
}

type Run<T> = (statement: Prepared['statement'], bound: ReturnType<typeof bindable>, prepared: Prepared) => T;

const SELECT = /^\s*SELECT\b/i;

/**
 * One connection. Everything except commitTogether() is synchronous. Integers come back as numbers, or as BigInt if a
 * number cannot hold them.
 */
export class Sqlite {
  readonly file: string;
  readonly readOnly: boolean;
  #db: DatabaseSyncInstance;
  #statements: StatementCache;
  #group: GroupCommit;
  #log: LogSync;
  #depth = 0;
  /** What to run if the transaction is rolled back, in the order requested. */
  #undo: (() => void)[] = [];
  #busyTimeoutMs: number;
  /** The connection still has the settings of a group: only groups have used it since. */
  #setForGroups = false;

  constructor({
    file,
    readOnly = false,
    immutable = false,
    busyTimeoutMs = 5000,
    durable = true,
    turnFile,
    clock = systemClock,
  }: ConnectionOptions) {
    this.file = file;
    this.readOnly = readOnly;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#db = openSqliteFile({ file, readOnly, immutable, busyTimeoutMs, durable });
    this.#statements = new StatementCache(this.#db);
    this.#log = new LogSync(file, durable);
    this.#group = new GroupCommit(
      {
        begin: () => this.#beginGroup(),
        inSavepoint: (work) => this.transaction(work),
        alone: (work) => refusePromise(work()),
        commit: () => this.#commitGroup(),
        sync: (done) =>
          this.#log.sync((error) => done(error === undefined ? undefined : sqliteError(file, error))),
        syncNow: () => this.#syncNow(),
        rollback: () => this.#rollback(),
        inTransaction: () => this.#db.isTransaction,
      },
      { clock, busyTimeoutMs, turn: turnFile === undefined ? undefined : new WriteTurn(turnFile) },
    );
  }

  run(sql: string, params: SqliteParams = []): SqliteRunResult {
    this.#leaveGroups();
    return this.#run(sql, params);
  }

  #run(sql: string, params: SqliteParams): SqliteRunResult {
    return this.#call(sql, params, (statement, bound) => {
      const { changes, lastInsertRowid } = statement.run(...bound);
      return { changes: Number(changes), lastInsertRowid: exactNumber(lastInsertRowid) };
    });
  }

  get<T = Record<string, unknown>>(sql: string, params: SqliteParams = []): T | undefined {
    return this.#ask(sql, params, (statement, bound, { shape }) => {
      // get() stops after one row, which could hide a failed commit of a RETURNING statement.
      const row = shape.returning ? statement.all(...bound)[0] : statement.get(...bound);
      return row === undefined ? undefined : readRow<T>(row);
    });
  }

  all<T = Record<string, unknown>>(sql: string, params: SqliteParams = []): T[] {
    return this.#ask(sql, params, (statement, bound) =>
      statement.all(...bound).map((row) => readRow<T>(row)),
    );
  }

  /** Row by row. Finish within one turn of the event loop: an open cursor holds an old view of the file. */
  *iterate<T = Record<string, unknown>>(
    sql: string,
    params: SqliteParams = [],
  ): Generator<T, void, undefined> {
    this.#leaveGroups();
    const prepared = this.#take(sql);
    let rows: IterableIterator<Record<string, unknown>> | undefined;
    try {
      rows = prepared.statement.iterate(...bindable(prepared.shape, params));
      for (const row of rows) yield readRow<T>(row);
    } catch (error) {
      throw sqliteError(this.file, error);
    } finally {
      rows?.return?.();
      if (this.#db.isOpen) this.#statements.giveBack(prepared);
    }
  }

  /** Runs a script of fixed text: layout changes, pragmas. Takes no values. */
  exec(sql: string): void {
    this.#leaveGroups();
    this.#exec(sql);
  }

  #exec(sql: string): void {
    try {
      this.#refuseClosed();
      this.#db.exec(sql);
    } catch (error) {
      throw sqliteError(this.file, error);
    }
  }

  /** All or nothing; inside another transaction, a savepoint. `fn` must be synchronous. */
  transaction<T>(fn: (db: Sqlite) => T): T {
    return this.#depth === 0 ? this.#outermost(fn) : this.#savepoint(fn);
  }

  /**
   * Runs `work` in a transaction shared with all other work of the same turn of the event loop; resolves when it is on
   * disk. `work` runs once, in a savepoint: if it throws, only its own changes are undone. `visible` runs before the
   * promise settles, even if the disk did not confirm the commit, because others can read it.
   */
  commitTogether<T>(work: (db: Sqlite) => T, visible?: (value: T) => void): Promise<T> {
    return this.#group.add(() => work(this), visible);
  }

  /** Inside a transaction: calls `undo` if it is rolled back. For memory that mirrors rows. */
  whenUndone(undo: () => void): void {
    if (this.#depth > 0) this.#undo.push(undo);
  }

  /** Commits what still waits in commitTogether(), then closes. Closing twice is harmless. */
  close(): void {
    if (!this.#db.isOpen) return;
    if (this.#depth > 0) throw internal('a database cannot be closed inside its own transaction');
    this.#group.close();
    this.#log.close();
    this.#emptyLog();
    this.#statements.clear();
    this.#db.close();
  }

  /**
   * The driver's close() keeps the files open until its statements are garbage-collected, and so skips what SQLite does
   * at a last close: after a clean end the main file alone must hold everything. Skipped while others read.
   */
  #emptyLog(): void {
    if (this.readOnly || this.get('SELECT total_changes() AS changes')?.['changes'] === 0) return;
    try {
      this.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The log is as durable as the file. The next user of the database empties it.
    }
  }

  #outermost<T>(fn: (db: Sqlite) => T): T {
    this.#leaveGroups();
    this.#control('BEGIN IMMEDIATE', +1);
    try {
      const value = refusePromise(fn(this));
      crashPoint('db.before-commit');
      this.#control('COMMIT', -1);
      this.#undo = [];
      crashPoint('db.after-commit');
      return value;
    } catch (error) {
      this.#rollback();
      throw error;
    }
  }

  #savepoint<T>(fn: (db: Sqlite) => T): T {
    const name = `s${this.#depth}`;
    const outer = this.#depth;
    const before = this.#undo.length;
    this.#control(`SAVEPOINT ${name}`, +1);
    try {
      const value = refusePromise(fn(this));
      this.#control(`RELEASE ${name}`, -1);
      return value;
    } catch (error) {
      this.#depth = outer;
      this.#undoSince(before);
      // SQLite ends the whole transaction on its own after a full disk or an I/O error.
      if (this.#db.isTransaction) this.#exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
      throw error;
    }
  }

  #undoSince(length: number): void {
    for (const undo of this.#undo.splice(length).reverse()) undo();
  }

  #control(sql: string, step: number): void {
    this.#run(sql, []);
    this.#depth += step;
  }

  #rollback(): void {
    this.#depth = 0;
    this.#undoSince(0);
    if (this.#db.isOpen && this.#db.isTransaction) this.#exec('ROLLBACK');
  }

  /**
   * Commits a group without SQLite's own sync, which would block this thread and uses fsync where fdatasync is enough:
   * GroupCommit syncs the log before any promise resolves. A checkpoint still syncs. The settings stay until other code
   * uses the connection, because parsing them at each commit costs as much as a row.
   */
  #beginGroup(): void {
    if (!this.#setForGroups) this.#exec('PRAGMA busy_timeout = 0; PRAGMA synchronous = NORMAL');
    this.#setForGroups = true;
    this.#control('BEGIN IMMEDIATE', +1);
  }

  #commitGroup(): void {
    this.#translated(() => this.#log.open());
    this.#control('COMMIT', -1);
    this.#undo = [];
  }

  #syncNow(): void {
    this.#translated(() => this.#log.syncNow());
  }

  #translated(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw sqliteError(this.file, error);
    }
  }

  /** Call before anything outside a group. */
  #leaveGroups(): void {
    if (!this.#setForGroups || this.#depth > 0) return;
    this.#exec(`PRAGMA busy_timeout = ${this.#busyTimeoutMs}; PRAGMA synchronous = ${this.#log.mode}`);
    this.#setForGroups = false;
  }

  /**
   * A read waits for no writer and syncs nothing, so it runs with the settings of a group: switching them costs more than
   * most queries. A read that is refused runs again with the ordinary settings.
   */
  #ask<T>(sql: string, params: SqliteParams, run: Run<T>): T {
    if (!SELECT.test(sql)) this.#leaveGroups();
    try {
      return this.#call(sql, params, run);
    } catch (error) {
      if (!this.#setForGroups || this.#depth > 0 || !isBusy(error)) throw error;
      this.#leaveGroups();
      return this.#call(sql, params, run);
    }
  }

  #call<T>(sql: string, params: SqliteParams, run: Run<T>): T {
    try {
      this.#refuseClosed();
      const prepared = this.#statements.use(sql);
      return run(prepared.statement, bindable(prepared.shape, params), prepared);
    } catch (error) {
      throw sqliteError(this.file, error);
    }
  }

  #take(sql: string): Prepared {
    try {
      this.#refuseClosed();
      return this.#statements.take(sql);
    } catch (error) {
      throw sqliteError(this.file, error);
    }
  }

  #refuseClosed(): void {
    if (!this.#db.isOpen) throw unavailable(`database ${this.file} is closed`);
  }
}

function refusePromise<T>(value: T): T {
  if (typeof (value as { then?: unknown } | null)?.then !== 'function') return value;
  (value as unknown as Promise<unknown>).then(undefined, () => {});
  throw internal('a transaction must be synchronous, but its function returned a promise');
}
