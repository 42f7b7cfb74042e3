import { createHash } from 'node:crypto';
import type { Pool, PoolClient, PoolConfig, QueryResult } from 'pg';
import {
  type Clock,
  crashPoint,
  internal,
  invalid,
  partMissing,
  RouseError,
  systemClock,
  unsupported,
} from '../base/index.ts';
import { PostgresListener } from './postgres-listener.ts';
import type { Sql, SqlResult } from './sql.ts';
import { decoderOf } from './sql-columns.ts';
import { sqlError } from './sql-errors.ts';
import { type Backend, type Session, sqlOver } from './sql-over-backend.ts';

export interface PostgresOptions {
  /** `postgresql://user:password@host:5432/database?sslmode=…` */
  url: string;
  maxConnections?: number;
  connectTimeoutMs?: number;
  /** The server ends a statement after this long. Default 30 s. */
  statementTimeoutMs?: number;
  /** The server ends a session that leaves a transaction open and silent for this long. Default 60 s. */
  idleTransactionTimeoutMs?: number;
  clock?: Clock;
}

const OLDEST_VERSION = 150_000;

/**
 * A pool of connections to a PostgreSQL server of at least version 15. Connects once, so that a wrong URL is told at
 * once; later the pool replaces connections that a restart of the server broke. Loads `pg` on first use.
 */
export async function openPostgres(options: PostgresOptions): Promise<Sql> {
  refuseBadUrl(options.url);
  const { default: pg } = await import('pg').catch((error) => Promise.reject(partMissing('pg', error)));
  const config = poolConfig(options);
  const pool = new pg.Pool(config);
  // A connection that breaks while nobody uses it is dropped by the pool; unheard, the event would end the process.
  pool.on('error', () => {});
  const listener = new PostgresListener(() => new pg.Client(config), options.clock ?? systemClock);
  const sql = sqlOver(new PostgresBackend(pool, listener));
  try {
    await refuseUnsuitable(sql);
    return sql;
  } catch (error) {
    await sql.close();
    throw error;
  }
}

/** The URL may hold a password, so no message repeats it. */
function refuseBadUrl(url: string): void {
  if (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return;
  throw invalid('the database URL is not a PostgreSQL URL', {
    hint: 'write it as postgresql://user:password@host:5432/database',
  });
}

async function refuseUnsuitable(sql: Sql): Promise<void> {
  const { rows } = await sql.query<{ version: number; encoding: string }>(
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

function poolConfig(options: PostgresOptions): PoolConfig {
  const { statementTimeoutMs = 30_000, idleTransactionTimeoutMs = 60_000 } = options;
  // Set here and not in the start packet, which a URL may override and a connection pooler may refuse.
  const settings = `SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET IntervalStyle = 'postgres';
    SET bytea_output = 'hex'; SET statement_timeout = ${Math.trunc(statementTimeoutMs)};
    SET idle_in_transaction_session_timeout = ${Math.trunc(idleTransactionTimeoutMs)}`;
  return {
    connectionString: options.url,
    application_name: 'rouse',
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: ((type: number) => decoderOf(type)) as never },
    onConnect: async (client) => void (await client.query(settings)),
  };
}

type Queryable = Pick<PoolClient, 'query'>;

interface Sent {
  values?: (string | null)[];
  prepared?: boolean | undefined;
}

async function send(
  on: Queryable | Pool,
  text: string,
  { values, prepared }: Sent = {},
): Promise<QueryResult> {
  try {
    // Values select the extended protocol, which takes one statement only; without them a script may have many.
    const query = values
      ? { text, values, queryMode: 'extended', ...(prepared && { name: nameOf(text) }) }
      : { text };
    return await (on as Queryable).query(query);
  } catch (error) {
    throw sqlError(error);
  }
}

const names = new Map<string, string>();

/** Short, since PostgreSQL cuts names at 63 bytes, and the same for the same text on every connection. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = `rouse_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  names.set(text, name);
  return name;
}

function sessionOn(on: Queryable | Pool): Session {
  return {
    async query(text, values, options): Promise<SqlResult<unknown>> {
      const { rows, rowCount } = await send(on, text, { values, prepared: options?.prepared });
      return { rows, rowCount: rowCount ?? 0 };
    },
    async exec(text) {
      await send(on, text);
    },
  };
}

class PostgresBackend implements Backend {
  readonly dialect = 'postgres';
  readonly query: Session['query'];
  readonly exec: Session['exec'];
  #pool: Pool;
  #listener: PostgresListener;

  constructor(pool: Pool, listener: PostgresListener) {
    this.#pool = pool;
    this.#listener = listener;
    ({ query: this.query, exec: this.exec } = sessionOn(pool));
  }

  async transaction<T>(use: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken: Error | undefined;
    const onError = (error: Error): void => {
      broken = error;
    };
    client.on('error', onError);
    try {
      await send(client, 'BEGIN');
      const value = await use(sessionOn(client));
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

  listen(channel: string, hear: (payload: string | undefined) => void): Promise<() => Promise<void>> {
    return this.#listener.listen(channel, hear);
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
