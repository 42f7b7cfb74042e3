/**
 * What the fleet's stores know of a database: plain SQL within PostgreSQL 15, with `$1` parameters. The same text runs on
 * a PostgreSQL server and on the one embedded in the process.
 *
 * Values in    text, finite numbers, bigint, booleans, Date, Uint8Array, null; an array is a PostgreSQL array, a plain
 *              object is JSON (for a JSON array use asJson()).
 * Values out   int8 as number (BigInt beyond 53 bits), numeric, date, timestamp and interval as text, timestamptz as Date,
 *              bytea as Uint8Array, json as what it says, arrays as arrays.
 */
export interface Sql {
  readonly dialect: 'postgres' | 'embedded';

  /** One statement. Outside transaction() it is a transaction of its own. */
  query<T = Record<string, unknown>>(
    text: string,
    params?: readonly SqlValue[],
    options?: QueryOptions,
  ): Promise<SqlResult<T>>;

  /** A script of fixed text, without values. */
  exec(text: string): Promise<void>;

  /**
   * All or nothing; inside another transaction, a savepoint. Use only the Sql it is given, keep it short, and await
   * everything: on the embedded database everybody else waits for it.
   */
  transaction<T>(fn: (sql: Sql) => Promise<T>, options?: TransactionOptions): Promise<T>;

  /**
   * Calls `hear` for each NOTIFY on the channel, and with undefined when a connection was lost and made again, because
   * notifications may have been missed meanwhile: they are hints. Resolves to a function that stops listening.
   */
  listen(channel: string, hear: (payload: string | undefined) => void): Promise<() => Promise<void>>;

  /**
   * Tells those who listen, after the commit when inside a transaction. A hint: it is not waited for, and lost when this
   * process dies between the commit and it.
   */
  notify(channel: string, payload: string): void;

  /** Waits for what runs, then closes. Closing twice is harmless. */
  close(): Promise<void>;
}

export interface SqlResult<T> {
  rows: T[];
  /** Rows returned or changed; 0 for a command that has none. */
  rowCount: number;
}

export interface QueryOptions {
  /**
   * The server keeps the statement's plan for as long as the connection lives. For fixed text that runs often; name its
   * columns, since a statement whose result changes its shape fails until the connection is made anew.
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
