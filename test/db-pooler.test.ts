import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../src/base/index.ts';
import { migrate, openPostgres, type Sql } from '../src/db/index.ts';
import { startPgbouncer, type TestPgbouncer } from './support/pgbouncer.ts';
import { startPostgres, type TestPostgres } from './support/postgres.ts';

type PostgresOptions = Parameters<typeof openPostgres>[0];

/** Behaviour that is the same with and without a pooler is tested in db-sql.test.ts. */
let server: TestPostgres;
let poolers: Record<'transaction' | 'tight' | 'session', TestPgbouncer>;
let direct: string;

beforeAll(async () => {
  server = await startPostgres();
  poolers = {
    transaction: await startPgbouncer(server, { mode: 'transaction' }),
    tight: await startPgbouncer(server, { mode: 'transaction', size: 1 }),
    session: await startPgbouncer(server, { mode: 'session', size: 20 }),
  };
  direct = await server.createDatabase();
});
afterAll(async () => {
  for (const pooler of Object.values(poolers)) await pooler.stop();
  await server.stop();
});

const opened: Sql[] = [];
const open = async (options: PostgresOptions): Promise<Sql> => {
  const sql = await openPostgres(options);
  opened.push(sql);
  return sql;
};
const pooled = (options: Partial<PostgresOptions> = {}): Promise<Sql> =>
  open({ url: poolers.transaction.urlOf(direct), directUrl: direct, ...options });
afterEach(async () => {
  for (const sql of opened.splice(0)) await sql.close();
});

/** The state of a session that the pooler later hands to another program. */
async function leftBehind(): Promise<unknown[]> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: poolers.transaction.urlOf(direct) });
  await client.connect();
  try {
    const seen = await client.query(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle,
              (SELECT count(*)::int FROM pg_prepared_statements) AS statements,
              (SELECT count(*)::int FROM pg_listening_channels()) AS channels`,
    );
    return seen.rows;
  } finally {
    await client.end();
  }
}

describe('a pooler in transaction mode', () => {
  it.each(['transaction', 'tight'] as const)(
    'a pooler in transaction mode without a direct URL is refused in a sentence that names what to set (%s)',
    async (which) => {
      const refused = open({ url: poolers[which].urlOf(direct) });
      await expect(refused).rejects.toMatchObject({
        code: 'unsupported',
        message: 'the database URL leads to a connection pooler in transaction mode',
        hint: expect.stringContaining('ROUSE_DATABASE_DIRECT_URL'),
      });
    },
  );

  it.each(['transaction', 'tight'] as const)(
    'a pooler in transaction mode takes statements that are kept prepared elsewhere, from two servers at once (%s)',
    async (which) => {
      const url = poolers[which].urlOf(direct);
      const both = [await open({ url, directUrl: direct }), await open({ url, directUrl: direct })];
      const ask = (n: number) =>
        both[n % 2]!.query<{ n: number }>('SELECT $1::int AS n', [n], { prepared: true });
      const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => ask(n)));
      expect(answers.map(({ rows }) => rows[0]?.n)).toEqual(answers.map((_, n) => n));
    },
  );

  it('a pooler in transaction mode: notifications sent through it are received through the direct URL', async () => {
    const [teller, hearer] = [await pooled(), await pooled()];
    const heard = new Promise((resolve) =>
      hearer.listen('news', resolve).then(() => teller.notify('news', 'x')),
    );
    expect(await heard).toBe('x');
  });

  it('a pooler in transaction mode leaves nothing behind in connections that other programs get', async () => {
    const before = await leftBehind();
    const sql = await pooled({ statementTimeoutMs: 12_345 });
    await sql.listen('news', () => {});
    const limit = await sql.transaction((tx) => tx.query('SHOW statement_timeout'));
    expect(limit.rows).toEqual([{ statement_timeout: '12345ms' }]);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => sql.query('SELECT $1::int', [n], { prepared: true })),
    );
    expect(await leftBehind()).toEqual(before);
  });

  it('a pooler in transaction mode ends a statement that takes too long, in a transaction and outside', async () => {
    const sql = await pooled({ statementTimeoutMs: 50 });
    const alone = sql.query('SELECT pg_sleep(60)');
    await expect(alone).rejects.toMatchObject({ code: 'unavailable', facts: { outcome: 'unknown' } });
    const within = sql.transaction((tx) => tx.query('SELECT pg_sleep(60)'));
    await expect(within).rejects.toMatchObject({ code: 'unavailable', facts: { sqlstate: '57014' } });
    expect((await sql.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('a pooler in transaction mode lets a step of the schema take longer than a statement may', async () => {
    const sql = await pooled({ statementTimeoutMs: 50 });
    await migrate(sql, [{ id: '001', sql: 'CREATE TABLE grown (x int); SELECT pg_sleep(0.3)' }]);
    expect((await sql.query('SELECT * FROM grown')).rows).toEqual([]);
  });

  it('a pooler in transaction mode may be started again: statements work again', async () => {
    const own = await startPgbouncer(server, { mode: 'transaction' });
    const sql = await open({ url: own.urlOf(direct), directUrl: direct });
    await own.stop();
    await expect(sql.query('SELECT 1')).rejects.toMatchObject({ code: 'unavailable' });
    await own.start();
    expect((await sql.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await own.stop();
  });
});

it('a pooler in session mode needs no direct URL', async () => {
  const sql = await open({ url: poolers.session.urlOf(direct) });
  const heard = new Promise((resolve) => sql.listen('news', resolve).then(() => sql.notify('news', 'x')));
  const numbers = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      sql.query<{ n: number }>('SELECT $1::int AS n', [n], { prepared: true }),
    ),
  );
  expect(numbers.map(({ rows }) => rows[0]?.n)).toEqual(numbers.map((_, n) => n));
  expect(await heard).toBe('x');
});

describe('a direct URL is refused when it', () => {
  /** Waits, a twentieth of the usual time, for what must not arrive. */
  const hasty: Clock = {
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic(),
    after: (ms, then) => systemClock.after(ms / 20, then),
  };

  it.each<[string, () => Promise<string>]>([
    ['leads to another database', () => server.createDatabase()],
    ['leads to the pooler, too', async () => poolers.transaction.urlOf(direct)],
    ['leads nowhere', async () => 'postgresql://u:secret@127.0.0.1:1/x'],
    ['is no URL', async () => 'secret'],
  ])('%s', async (_, make) => {
    const error: unknown = await pooled({ directUrl: await make(), clock: hasty }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      message: expect.stringContaining('ROUSE_DATABASE_DIRECT_URL'),
      hint: expect.any(String),
    });
    expect(JSON.stringify(error) + String(error)).not.toContain('secret');
  });
});
