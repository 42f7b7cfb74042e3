import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { type Clock, crashPoint, internal, systemClock, unavailable } from '../../base/index.ts';
import { GroupCommit } from './group-commit.ts';
import { LogSync } from './log-sync.ts';
import { isBusy, sqliteError } from './sqlite-errors.ts';
import { openSqliteFile } from './sqlite-file.ts';
import { type Prepared, StatementCache } from './sqlite-statements.ts';
import { bindable, exactNumber, readRow, type SqliteParams } from './sqlite-values.ts';

export interface ConnectionOptions {
  /** Made with mode 0600 when it is not there, its directory too. `:memory:` for a database without a file. */
  file: string;
  readOnly?: boolean;
  /** With readOnly: nobody writes to it, so it is read without the files a write-ahead log needs beside it. */
  immutable?: boolean;
  /** How long to wait for another writer. Default 5 s. */
  busyTimeoutMs?: number;
  /** fsync at each commit. Default true; false survives the death of the process, not of the machine. */
  durable?: boolean;
  clock?: Clock;
}

export interface SqliteRunResult {
  changes: number;
  lastInsertRowid: number | bigint;
}

type Run<T> = (statement: Prepared['statement'], bound: ReturnType<typeof bindable>, prepared: Prepared) => T;

const SELECT = /^\s*SELECT\b/i;

/**
 * One connection. Everything but commitTogether() is synchronous. Integers come back as numbers, or as BigInt when a
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
  /** What to do when the transaction is rolled back, in the order in which it was asked for. */
  #undo: (() => void)[] = [];
  #busyTimeoutMs: number;
  /** The connection is still set as a group needs it: nobody but groups has used it since. */
  #setForGroups = false;

  constructor({
    file,
    readOnly = false,
    immutable = false,
    busyTimeoutMs = 5000,
    durable = true,
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
      { clock, busyTimeoutMs },
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
      // get() stops after one row; a RETURNING statement stopped there could hide a failure of its commit.
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

  /** All or nothing; inside another transaction, a savepoint of it. `fn` must be synchronous. */
  transaction<T>(fn: (db: Sqlite) => T): T {
    return this.#depth === 0 ? this.#outermost(fn) : this.#savepoint(fn);
  }

  /**
   * Runs `work` in a transaction shared with everything else that asks in the same turn of the event loop; resolves
   * when it is on disk. `work` runs once, in a savepoint: when it throws, only its own changes are undone.
   */
  commitTogether<T>(work: (db: Sqlite) => T): Promise<T> {
    return this.#group.add(() => work(this));
  }

  /** Within a transaction: `undo` is called if what was done in it so far is rolled back. For what memory knows of rows. */
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
   * The driver's close() keeps the files open until its statements are collected as garbage, and so leaves out what
   * SQLite does at a last close: after a clean end the main file alone must hold everything. Skipped when others read.
   */
  #emptyLog(): void {
    if (this.readOnly || this.get('SELECT total_changes() AS changes')?.['changes'] === 0) return;
    try {
      this.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The log is as durable as the file; the next user of the database empties it.
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
      // SQLite ends the whole transaction by itself on a full disk or an I/O error.
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
   * A group is committed without SQLite's own sync, which would hold this thread and takes fsync where fdatasync is
   * enough: GroupCommit syncs the log before anybody is told. A checkpoint still syncs by itself. The settings are kept
   * until somebody else uses the connection, because parsing them at each commit costs as much as a row.
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

  /** Before anything outside of a group. */
  #leaveGroups(): void {
    if (!this.#setForGroups || this.#depth > 0) return;
    this.#exec(`PRAGMA busy_timeout = ${this.#busyTimeoutMs}; PRAGMA synchronous = ${this.#log.mode}`);
    this.#setForGroups = false;
  }

  /**
   * A reader waits for nobody and syncs nothing, so the settings of a group are good enough for it: changing them back and
   * forth costs more than most questions. One that is refused all the same asks again as everybody outside of a group does.
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
