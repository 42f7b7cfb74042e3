import type { Client, Pool, PoolClient, PoolConfig, QueryResult } from 'pg';
import {
  type Clock,
  crashPoint,
  internal,
  invalid,
  partMissing,
  RouseError,
  sha256,
  systemClock,
  unsupported,
} from '../base/index.ts';
import { PostgresListener } from './postgres-listener.ts';
import { changesBackends, isDirect, poolerWithoutDirectUrl, requireSameDatabase } from './postgres-pooler.ts';
import type { Sql, SqlResult } from './sql.ts';
import { decoderOf } from './sql-columns.ts';
import { sqlError } from './sql-errors.ts';
import { type Backend, type Session, sqlOver } from './sql-over-backend.ts';

export interface PostgresOptions {
  /** `postgresql://user:password@host:5432/database?sslmode=…` */
  url: string;
  /** The same database without a pooler, if `url` leads to one in transaction mode. */
  directUrl?: string | undefined;
  maxConnections?: number;
  connectTimeoutMs?: number;
  /** The server ends a statement after this long. Default 30 s. */
  statementTimeoutMs?: number;
  /** The server ends a session with an open but idle transaction after this long. Default 60 s. */
  idleTransactionTimeoutMs?: number;
  clock?: Clock;
}

const OLDEST_VERSION = 150_000;

/**
 * A pool of connections to a PostgreSQL server, version 15 or later. Connects once, so that a wrong URL fails at once;
 * later the pool replaces connections that a server restart broke. Loads `pg` on first use.
 */
export async function openPostgres(options: PostgresOptions): Promise<Sql> {
  const { url, directUrl, clock = systemClock } = options;
  refuseBadUrl(url, 'the database URL');
  if (directUrl !== undefined) refuseBadUrl(directUrl, 'ROUSE_DATABASE_DIRECT_URL');
  const { default: pg } = await import('pg').catch((error) => Promise.reject(partMissing('pg', error)));
  const pooled = await looksPooled(options, (config) => new pg.Client(config));
  const pool = new pg.Pool(pooled ? sharedConfig(options) : ownConfig(options));
  // The pool drops a connection that breaks while idle. Without a listener this event would end the process.
  pool.on('error', () => {});
  const listenerConfig = ownConfig({ ...options, url: directUrl ?? url });
  const listener = new PostgresListener(() => new pg.Client(listenerConfig), clock);
  const sql = sqlOver(new PostgresBackend(pool, listener, waysOf(options, pooled)));
  try {
    if (directUrl !== undefined) await requireSameDatabase(sql, clock);
    return sql;
  } catch (error) {
    await sql.close();
    throw error;
  }
}

/**
 * Checks the server, and whether connections to it are our own. Through a pooler in transaction mode each transaction
 * may have another connection: statements cannot be named there, and no setting outlives a transaction.
 */
async function looksPooled(options: PostgresOptions, make: (config: PoolConfig) => Client): Promise<boolean> {
  const config = { ...baseConfig(options), query_timeout: connectTimeoutOf(options) };
  const clients = [make(config), make(config)] as const;
  for (const client of clients) client.on('error', () => {});
  const [one, other] = clients;
  try {
    await one.connect();
    await refuseUnsuitable(one);
    if (await isDirect(one)) return false;
    if (options.directUrl !== undefined) return true;
    await other.connect();
    if (await changesBackends(one, other)) throw poolerWithoutDirectUrl();
    return false;
  } catch (error) {
    throw sqlError(error);
  } finally {
    for (const client of clients) await client.end().catch(() => {});
  }
}

/** The URL may hold a password, so no message repeats it. */
function refuseBadUrl(url: string, which: string): void {
  if (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return;
  throw invalid(`${which} is not a PostgreSQL URL`, {
    hint: 'write it as postgresql://user:password@host:5432/database',
  });
}

async function refuseUnsuitable(client: Client): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding`,
  );
  const { version = 0, encoding } = rows[0] ?? {};
  if (version < OLDEST_VERSION) {
    throw unsupported(`PostgreSQL ${Math.floor(version / 10_000)} is too old`, {
      hint: 'use version 15 or newer',
    });
  }
  if (encoding !== 'UTF8') {
    throw unsupported(`the database has the encoding ${encoding}`, { hint: 'create it with ENCODING UTF8' });
  }
}

const connectTimeoutOf = ({ connectTimeoutMs = 5_000 }: PostgresOptions): number => connectTimeoutMs;

function limitsOf({ statementTimeoutMs = 30_000, idleTransactionTimeoutMs = 60_000 }: PostgresOptions) {
  const limits = {
    statementMs: Math.trunc(statementTimeoutMs),
    idleMs: Math.trunc(idleTransactionTimeoutMs),
  };
  const set = (how: string) =>
    `${how} statement_timeout = ${limits.statementMs}; ${how} idle_in_transaction_session_timeout = ${limits.idleMs}`;
  return { ...limits, set };
}

function baseConfig(options: PostgresOptions): PoolConfig {
  return {
    connectionString: options.url,
    application_name: 'rouse',
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: connectTimeoutOf(options),
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: ((type: number) => decoderOf(type)) as never },
  };
}

/** Settings that a pooler keeps for each of its clients. */
const FORMS = `SET TimeZone = 'UTC'; SET DateStyle = 'ISO'`;

/** Set here and not in the start packet, which a URL may override and a pooler may refuse. */
function ownConfig(options: PostgresOptions): PoolConfig {
  const settings = `${FORMS}; SET IntervalStyle = 'postgres'; SET bytea_output = 'hex'; ${limitsOf(options).set('SET')}`;
  return { ...baseConfig(options), onConnect: async (client) => void (await client.query(settings)) };
}

/** Any other setting would stay behind for other clients. */
function sharedConfig(options: PostgresOptions): PoolConfig {
  return { ...baseConfig(options), onConnect: async (client) => void (await client.query(FORMS)) };
}

/** What differs if connections are not our own. */
interface Ways {
  named: boolean;
  begin: string;
  /** The client's time limit for a statement outside transactions, where we cannot set one on the server. */
  aloneMs?: number;
}

function waysOf(options: PostgresOptions, pooled: boolean): Ways {
  return pooled
    ? {
        named: false,
        begin: `BEGIN; ${limitsOf(options).set('SET LOCAL')}`,
        aloneMs: limitsOf(options).statementMs,
      }
    : { named: true, begin: 'BEGIN' };
}

type Queryable = Pick<PoolClient, 'query'>;

interface QueryOptions {
  values?: (string | null)[];
  prepared?: boolean | undefined;
  limitMs?: number | undefined;
}

async function send(
  on: Queryable | Pool,
  text: string,
  { values, prepared, limitMs }: QueryOptions = {},
): Promise<QueryResult> {
  try {
    // Values select the extended protocol, which takes one statement; without values a script may have many.
    const query = values
      ? { text, values, queryMode: 'extended', ...(prepared && { name: nameOf(text) }) }
      : { text };
    return await (on as Queryable).query({ ...query, ...(limitMs && { query_timeout: limitMs }) });
  } catch (error) {
    throw sqlError(error);
  }
}

const names = new Map<string, string>();

/** Short, because PostgreSQL truncates names at 63 bytes, and the same for the same text on every connection. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = `rouse_${sha256(text).slice(0, 32)}`;
  names.set(text, name);
  return name;
}

function sessionOn(on: Queryable | Pool, named: boolean, limitMs?: number): Session {
  return {
    async query(text, values, options): Promise<SqlResult<unknown>> {
      const prepared = named && options?.prepared;
      const { rows, rowCount } = await send(on, text, { values, prepared, limitMs });
      return { rows, rowCount: rowCount ?? 0 };
    },
    async exec(text) {
      await send(on, text, { limitMs });
    },
  };
}

class PostgresBackend implements Backend {
  readonly dialect = 'postgres';
  readonly room: Backend['room'];
  readonly query: Session['query'];
  readonly exec: Session['exec'];
  #pool: Pool;
  #listener: PostgresListener;
  #ways: Ways;

  constructor(pool: Pool, listener: PostgresListener, ways: Ways) {
    const atOnce = pool.options.max;
    // Some connections are left to other parties, whatever one has started.
    this.room = { atOnce, perParty: Math.ceil(atOnce * 0.8), sharesThread: false };
    this.#pool = pool;
    this.#listener = listener;
    this.#ways = ways;
    ({ query: this.query, exec: this.exec } = sessionOn(pool, ways.named, ways.aloneMs));
  }

  async transaction<T>(use: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken: Error | undefined;
    const onError = (error: Error): void => {
      broken = error;
    };
    client.on('error', onError);
    try {
      await send(client, this.#ways.begin);
      const value = await use(sessionOn(client, this.#ways.named));
      await commit(client);
      return value;
    } catch (error) {
      await send(client, 'ROLLBACK').catch((failure) => {
        broken ??= failure;
      });
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  listen(channel: string, receive: (payload: string | undefined) => void): Promise<() => Promise<void>> {
    return this.#listener.listen(channel, receive);
  }

  async close(): Promise<void> {
    await this.#listener.close();
    await this.#pool.end();
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw sqlError(error);
    }
  }
}

async function commit(client: PoolClient): Promise<void> {
  crashPoint('db.before-commit');
  const { command } = await send(client, 'COMMIT').catch((error: RouseError) => {
    throw error.facts['sqlstate'] === undefined ? unknownOutcome(error) : error;
  });
  crashPoint('db.after-commit');
  if (command === 'ROLLBACK') throw abortedBefore();
}

function abortedBefore(): RouseError {
  return internal(
    'the transaction was rolled back, because a statement in it had failed and the failure was ignored',
  );
}

function unknownOutcome(error: RouseError): RouseError {
  return new RouseError(
    error.code,
    `${error.message}; the connection broke during COMMIT, so the outcome is unknown`,
    {
      hint: 'look whether the change is there before making it again',
      facts: { outcome: 'unknown' },
      cause: error,
    },
  );
}
