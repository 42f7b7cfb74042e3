/**
 * A database as the fleet's stores see it: plain SQL within PostgreSQL 15, with `$1` parameters. The same text runs on a
 * PostgreSQL server and on the one embedded in the process.
 *
 * Values in    text, finite numbers, bigint, booleans, Date, Uint8Array, null; an array is a PostgreSQL array, a plain
 *              object is JSON (for a JSON array use asJson()).
 * Values out   int8 as number (BigInt beyond 53 bits), numeric, date, timestamp and interval as text, timestamptz as Date,
 *              bytea as Uint8Array, json parsed, arrays as arrays.
 */
export interface Sql {
  readonly dialect: 'postgres' | 'embedded';

  /** Runs one statement. Outside transaction() it is its own transaction. */
  query<T = Record<string, unknown>>(
    text: string,
    params?: readonly SqlValue[],
    options?: QueryOptions,
  ): Promise<SqlResult<T>>;

  /** Runs a script of fixed text, without values. */
  exec(text: string): Promise<void>;

  /**
   * All or nothing; inside another transaction, a savepoint. Use only the Sql passed to `fn`, keep it short, and await
   * everything: on the embedded database everyone else waits for it.
   */
  transaction<T>(fn: (sql: Sql) => Promise<T>, options?: TransactionOptions): Promise<T>;

  /**
   * Calls `receive` for each NOTIFY on the channel, and with undefined after a lost connection was made again, because
   * notifications may have been missed. They are hints. Resolves to a function that stops listening.
   */
  listen(channel: string, receive: (payload: string | undefined) => void): Promise<() => Promise<void>>;

  /**
   * Notifies listeners, inside a transaction after its commit. A hint: it is not awaited, and is lost if this process
   * dies right after the commit.
   */
  notify(channel: string, payload: string): void;

  /** Waits for running work, then closes. Closing twice is harmless. */
  close(): Promise<void>;
}

export interface SqlResult<T> {
  rows: T[];
  /** Rows returned or changed; 0 for a command that has none. */
  rowCount: number;
}

export interface QueryOptions {
  /**
   * The server keeps the statement's plan for the life of the connection. For fixed text that runs often. Name its
   * columns: a statement whose result changes shape fails until the connection is made again.
   */
  prepared?: boolean;
}

export interface TransactionOptions {
  /** Default: read committed. */
  isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readOnly?: boolean;
}

export type SqlValue =
  | null
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | readonly SqlValue[]
  | { readonly [key: string]: unknown };
