import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  asJson,
  migrate,
  openEmbedded,
  openPostgres,
  type Sql,
  type SqlValue,
  serializable,
  sqlStateOf,
} from '../src/db/index.ts';
import { bundleProgram, startChild } from '../src/db/testing.ts';
import { startPgbouncer, type TestPgbouncer } from './support/pgbouncer.ts';
import { startPostgres, type TestPostgres } from './support/postgres.ts';
import { sampled } from './support/sample.ts';

let home: string;
let server: TestPostgres;
let pooler: TestPgbouncer;

beforeAll(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-sql-'));
  server = await startPostgres();
  pooler = await startPgbouncer(server, { mode: 'transaction' });
});

afterAll(async () => {
  await pooler.stop();
  await server.stop();
  fs.rmSync(home, { recursive: true, force: true });
});

let count = 0;
const newDirectory = (): string => path.join(home, `db-${count++}`);
const templateDirectory = (): string => path.join(home, 'templates');

const databases: [string, () => Promise<Sql>][] = [
  ['PostgreSQL', async () => openPostgres({ url: await server.createDatabase() })],
  [
    'PostgreSQL behind PgBouncer',
    async () => {
      const directUrl = await server.createDatabase();
      return openPostgres({ url: pooler.urlOf(directUrl), directUrl });
    },
  ],
  ['embedded', () => openEmbedded({ directory: newDirectory(), templateDirectory: templateDirectory() })],
];

/** Resolves when `check` stops throwing; the test's own timeout is the limit. */
async function eventually(check: () => void): Promise<void> {
  for (;;) {
    try {
      return check();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

describe.each(sampled('every', databases, 1))('every Sql database: %s', (_, open) => {
  let sql: Sql;

  beforeAll(async () => {
    sql = await open();
  });
  afterAll(() => sql.close());
  beforeEach(() =>
    sql.exec('DROP TABLE IF EXISTS item; CREATE TABLE item (id int PRIMARY KEY, name text UNIQUE)'),
  );

  const add = (to: Sql, id: number, name = `n${id}`) =>
    to.query('INSERT INTO item (id, name) VALUES ($1, $2)', [id, name]);
  const ids = async (): Promise<number[]> =>
    (await sql.query<{ id: number }>('SELECT id FROM item ORDER BY id')).rows.map(({ id }) => id);

  it('every SQL database returns rows and how many there were or were changed', async () => {
    expect(await add(sql, 1)).toEqual({ rows: [], rowCount: 1 });
    await add(sql, 2);
    expect(await sql.query('SELECT id FROM item ORDER BY id')).toEqual({
      rows: [{ id: 1 }, { id: 2 }],
      rowCount: 2,
    });
    expect((await sql.query('UPDATE item SET name = name')).rowCount).toBe(2);
    expect((await sql.query('UPDATE item SET name = name WHERE id = $1 RETURNING id', [2])).rows).toEqual([
      { id: 2 },
    ]);
    expect((await sql.query('CREATE TEMP TABLE nothing (a int)')).rowCount).toBe(0);
  });

  it.each<[type: string, value: SqlValue, expected?: unknown]>([
    ['int8', 42],
    ['int8', 2n ** 62n],
    ['int8', 5n, 5],
    ['int4', -7],
    ['float8', 1.5e300],
    ['float8', Number.POSITIVE_INFINITY],
    ['numeric', '12345678901234567890.5'],
    ['bool', true],
    ['bool', false],
    ['text', ''],
    ['text', 'ünï\u0001 "quoted" \\ {,} NULL \u{1F600}'],
    ['uuid', '0190a4f8-0000-7000-8000-000000000000'],
    ['bytea', new Uint8Array([0, 1, 255])],
    ['bytea', new Uint8Array()],
    ['timestamptz', new Date('2026-01-02T03:04:05.678Z')],
    ['timestamptz', '1999-12-31T23:00:00-05:00', new Date('2000-01-01T04:00:00Z')],
    ['timestamptz', 'infinity'],
    ['timestamp', '2026-01-02 03:04:05.5'],
    ['date', '2026-01-02'],
    ['interval', '1 day 02:03:04'],
    ['jsonb', { a: [1, null, 'x'], b: { c: true } }],
    ['jsonb', asJson([1, { a: 2 }]), [1, { a: 2 }]],
    ['jsonb', asJson('text'), 'text'],
    ['json', { a: '\\u0000' }],
    ['text[]', ['a', null, '', 'NULL', 'x,{}"\\ y', 'ü']],
    ['text[]', []],
    ['int8[]', [1, 2n ** 62n, null]],
    [
      'int4[]',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['bool[]', [true, false]],
    ['float8[]', [0.5, -1]],
    ['jsonb[]', [{ a: '"' }, { b: [1] }]],
    ['timestamptz[]', [new Date(0)]],
    ['bytea[]', [new Uint8Array([9, 0]), new Uint8Array()]],
    ['uuid[]', ['0190a4f8-0000-7000-8000-000000000000']],
    ['text', null],
  ])('every SQL database gives %s back as it was: %o', async (type, value, expected = value) => {
    const { rows } = await sql.query<{ v: unknown }>(`SELECT $1::${type} AS v`, [value]);
    expect(rows[0]?.v).toStrictEqual(expected);
  });

  it('every SQL database returns any text as it was, alone, in arrays and in JSON', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 50 }).filter((string) => !string.includes('\u0000'));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.option(text)), async (single, list) => {
        const { rows } = await sql.query('SELECT $1::text AS a, $2::text[] AS b, $3::jsonb AS c', [
          single,
          list,
          { list, single },
        ]);
        expect(rows[0]).toStrictEqual({ a: single, b: list, c: { list, single } });
      }),
      { numRuns: 150 },
    );
  });

  it.each<[string, unknown]>([
    ['text with U+0000', 'a\u0000b'],
    ['U+0000 in an array', ['ok', 'a\u0000b']],
    ['U+0000 in JSON', { deep: [{ a: '\\\u0000' }] }],
    ['U+0000 in a JSON key', { 'a\u0000': 1 }],
    ['undefined', undefined],
    ['undefined in an array', [undefined]],
    ['NaN', Number.NaN],
    ['an invalid Date', new Date('never')],
    ['a Map', new Map()],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
  ])('every SQL database refuses %s and names the parameter', async (_, value) => {
    const refused = sql.query('SELECT $1::text, $2::text', ['fine', value as SqlValue]);
    await expect(refused).rejects.toMatchObject({
      code: 'invalid',
      facts: { parameter: expect.stringContaining('parameter 2') },
    });
  });

  it('every SQL database keeps SQLSTATE, constraint and a code with each error', async () => {
    await add(sql, 1);
    const taken = await add(sql, 2, 'n1').catch((error: unknown) => error);
    expect(taken).toMatchObject({
      code: 'conflict',
      facts: { sqlstate: '23505', constraint: 'item_name_key' },
    });
    const nonsense = await sql.query('SELECT nonsense').catch((error: unknown) => error);
    expect(nonsense).toMatchObject({ code: 'internal' });
    expect(sqlStateOf(nonsense)).toBe('42703');
    await expect(sql.query('SELECT $1::jsonb', ['{"a":"\\u0000"}'])).rejects.toMatchObject({
      code: 'invalid',
    });
    await expect(sql.query('SELECT $1::int', [])).rejects.toMatchObject({ code: expect.any(String) });
    expect(await ids()).toEqual([1]);
  });

  it('every SQL database refuses U+0000 in SQL text, which would cut it off', async () => {
    await expect(sql.query('SELECT 1 \u0000 + 1')).rejects.toMatchObject({ code: 'invalid' });
    await expect(sql.exec('SELECT 1 \u0000')).rejects.toMatchObject({ code: 'invalid' });
  });

  it('every SQL database runs one statement in query() and a script in exec()', async () => {
    await expect(sql.query('SELECT 1; DROP TABLE item')).rejects.toMatchObject({
      facts: { sqlstate: '42601' },
    });
    await sql.exec('INSERT INTO item VALUES (1); INSERT INTO item VALUES (2)');
    expect(await ids()).toEqual([1, 2]);
  });

  it('every SQL database undoes a transaction whose function throws, and passes the error on as it is', async () => {
    const mine = new TypeError('mine');
    const attempt = sql.transaction(async (tx) => {
      await add(tx, 1);
      throw mine;
    });
    await expect(attempt).rejects.toBe(mine);
    expect(await ids()).toEqual([]);
    expect(await sql.transaction(async (tx) => (await add(tx, 2)).rowCount)).toBe(1);
    expect(await ids()).toEqual([2]);
  });

  it('every SQL database undoes a nested transaction alone', async () => {
    await sql.transaction(async (tx) => {
      await add(tx, 1);
      const inner = tx.transaction(async (nested) => {
        await add(nested, 2);
        await nested.transaction((innermost) => add(innermost, 3));
        await add(nested, 1);
      });
      await expect(inner).rejects.toMatchObject({ code: 'conflict' });
      await tx.transaction((nested) => add(nested, 4));
    });
    expect(await ids()).toEqual([1, 4]);
  });

  it('every SQL database does not report success when an ignored failure made the commit a rollback', async () => {
    const attempt = sql.transaction(async (tx) => {
      await add(tx, 1);
      await tx.query('SELECT nonsense').catch(() => {});
    });
    await expect(attempt).rejects.toMatchObject({ code: 'internal' });
    expect(await ids()).toEqual([]);
  });

  it('every SQL database refuses what would wait for itself or escape a transaction', async () => {
    await sql.transaction(async () => {
      await expect(ids()).rejects.toMatchObject({ code: 'internal' });
      await expect(sql.transaction(async () => 1)).rejects.toMatchObject({ code: 'internal' });
      await expect(sql.close()).rejects.toMatchObject({ code: 'internal' });
    });
    const leaked = await sql.transaction(async (tx) => tx);
    await expect(add(leaked, 1)).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('ended'),
    });
    expect(await ids()).toEqual([]);
  });

  it('every SQL database takes the modes of a transaction', async () => {
    const attempt = sql.transaction((tx) => add(tx, 1), { readOnly: true, isolation: 'repeatable read' });
    await expect(attempt).rejects.toMatchObject({ facts: { sqlstate: '25006' } });
    const level = await sql.transaction((tx) => tx.query('SHOW transaction_isolation'), {
      isolation: 'serializable',
    });
    expect(level.rows).toEqual([{ transaction_isolation: 'serializable' }]);
  });

  it('every SQL database lets many count in serialisable transactions without losing one', async () => {
    await add(sql, 0);
    const increment = () =>
      serializable(
        sql,
        async (tx) => {
          const { rows } = await tx.query<{ max: number }>('SELECT max(id) FROM item');
          await add(tx, (rows[0]?.max ?? 0) + 1);
        },
        { attempts: 100 },
      );
    await Promise.all(Array.from({ length: 12 }, increment));
    expect(await ids()).toEqual(Array.from({ length: 13 }, (_, id) => id));
  });

  it('every SQL database gives each row to one of many takers that skip locked rows', async () => {
    await sql.query('INSERT INTO item (id) SELECT generate_series(1, 60)');
    await sql.exec('ALTER TABLE item ADD COLUMN taken bool NOT NULL DEFAULT false');
    const taken: number[] = [];
    const take = async (): Promise<void> => {
      for (;;) {
        const { rows } = await sql.query<{ id: number }>(`UPDATE item SET taken = true WHERE id = (
          SELECT id FROM item WHERE NOT taken ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`);
        if (!rows[0]) return;
        taken.push(rows[0].id);
      }
    };
    await Promise.all([take(), take(), take(), take()]);
    expect(taken.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  });

  it('every SQL database delivers notifications of committed transactions until the listener stops', async () => {
    const heard: (string | undefined)[] = [];
    const stop = await sql.listen('news', (payload) => heard.push(payload));
    await sql
      .transaction(async (tx) => {
        await tx.query('SELECT pg_notify($1, $2)', ['news', 'undone']);
        throw new Error('no');
      })
      .catch(() => {});
    await sql.query('SELECT pg_notify($1, $2)', ['news', 'first']);
    await sql.transaction((tx) => tx.query('SELECT pg_notify($1, $2)', ['news', 'ü second']));
    await eventually(() => expect(heard).toEqual(['first', 'ü second']));
    await stop();
    await sql.query('SELECT pg_notify($1, $2)', ['news', 'unheard']);
    await expect(sql.listen('x; DROP TABLE item', () => {})).rejects.toMatchObject({ code: 'invalid' });
    expect(heard).toEqual(['first', 'ü second']);
  });

  describe('migrations', () => {
    const first = { id: '001', sql: 'CREATE TABLE grown (x int); INSERT INTO grown VALUES (1)' };
    const second = { id: '002', sql: 'INSERT INTO grown VALUES (2)' };
    const grown = async () =>
      (await sql.query<{ x: number }>('SELECT x FROM grown ORDER BY x')).rows.map(({ x }) => x);

    beforeEach(() => sql.exec('DROP TABLE IF EXISTS grown, schema_migrations'));

    it('migrations are applied once each, in order, also when started many times at once', async () => {
      await migrate(sql, [first]);
      expect(await grown()).toEqual([1]);
      await Promise.all([1, 2, 3, 4, 5].map(() => migrate(sql, [first, second])));
      await migrate(sql, [first, second]);
      expect(await grown()).toEqual([1, 2]);
    });

    it('migrations leave no trace of a step that fails', async () => {
      const broken = { id: '002', sql: 'INSERT INTO grown VALUES (2); INSERT INTO nowhere VALUES (1)' };
      await expect(migrate(sql, [first, broken])).rejects.toMatchObject({ facts: { sqlstate: '42P01' } });
      expect(await grown()).toEqual([1]);
      await migrate(sql, [first, second]);
      expect(await grown()).toEqual([1, 2]);
    });

    it('migrations refuse a database of newer code and a step that was changed', async () => {
      await migrate(sql, [first, second]);
      await expect(migrate(sql, [first])).rejects.toMatchObject({
        code: 'unsupported',
        facts: { step: '002' },
      });
      const changed = { ...second, sql: 'INSERT INTO grown VALUES (3)' };
      await expect(migrate(sql, [first, changed])).rejects.toMatchObject({
        code: 'conflict',
        facts: { step: '002' },
      });
      expect(await grown()).toEqual([1, 2]);
    });
  });

  it('every SQL database says that it is closed when it is', async () => {
    const other = await open();
    const waiting = other.query('SELECT 1 AS one');
    await Promise.all([waiting, other.close(), other.close()]);
    expect((await waiting).rows).toEqual([{ one: 1 }]);
    await expect(other.query('SELECT 1')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(other.transaction(async () => 1)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(other.listen('news', () => {})).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('a PostgreSQL server', () => {
  it('a PostgreSQL server may restart: statements work again, and listeners learn that they may have missed something', async () => {
    const own = await startPostgres();
    const sql = await openPostgres({ url: own.url });
    try {
      const heard: (string | undefined)[] = [];
      await sql.listen('news', (payload) => heard.push(payload));
      await Promise.all([1, 2, 3].map(() => sql.query('SELECT 1')));
      const interrupted = sql.transaction(async (tx) => {
        await tx.query('SELECT 1');
        await own.stopServer();
        await tx.query('SELECT 2');
      });
      await expect(interrupted).rejects.toMatchObject({ code: 'unavailable' });
      await expect(sql.query('SELECT 1')).rejects.toMatchObject({
        code: 'unavailable',
        hint: expect.any(String),
      });
      await own.startServer();
      expect((await sql.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      await eventually(() => expect(heard).toEqual([undefined]));
      await sql.query('SELECT pg_notify($1, $2)', ['news', 'again']);
      await eventually(() => expect(heard).toEqual([undefined, 'again']));
    } finally {
      await sql.close();
      await own.stop();
    }
  });

  it('a PostgreSQL server ends a statement that takes too long', async () => {
    const sql = await openPostgres({ url: server.url, statementTimeoutMs: 20 });
    const slow = sql.query('SELECT pg_sleep(60)');
    await expect(slow).rejects.toMatchObject({ code: 'unavailable', facts: { sqlstate: '57014' } });
    await sql.close();
  });

  it.each<[string, string | (() => string), string]>([
    ['no URL', 'not a url', 'invalid'],
    ['another protocol', 'mysql://root:secret@localhost/x', 'invalid'],
    ['a server that is not there', 'postgresql://u:secret@127.0.0.1:1/x', 'unavailable'],
    ['a host that does not exist', 'postgresql://u:secret@rouse.invalid/x', 'unavailable'],
    ['a database that is not there', () => server.url.replace('/postgres?', '/nowhere?'), 'unavailable'],
    ['a user that is not there', () => server.url.replace('rouse@', 'nobody:secret@'), 'unavailable'],
  ])('a PostgreSQL server gives a clear error without the password for %s', async (_, url, code) => {
    const error = await openPostgres({ url: typeof url === 'string' ? url : url() }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code, hint: expect.any(String), message: expect.stringMatching(/\w+/) });
    expect(JSON.stringify(error) + String(error)).not.toContain('secret');
  });

  it('a PostgreSQL server applies each migration once when processes start at the same moment', async () => {
    const program = path.join(home, 'migrate.mjs');
    await bundleProgram(
      `import { migrate, openPostgres } from './index.ts';
       const steps = Array.from({ length: 10 }, (_, n) => ({ id: 's' + n, sql: 'CREATE TABLE t' + n + ' (a int)' }));
       const sql = await openPostgres({ url: process.argv[2] });
       await migrate(sql, steps);
       await sql.close();`,
      program,
    );
    for (let round = 0; round < 3; round++) {
      const url = await server.createDatabase();
      const children = [1, 2, 3, 4, 5, 6].map(() => startChild(program, [url]));
      for (const child of children) expect(await child.ended).toMatchObject({ code: 0, stderr: '' });
    }
  });
});

describe('the embedded database', () => {
  const open = (directory: string) => openEmbedded({ directory, templateDirectory: templateDirectory() });
  const HOLDER = `
    import { armCrashPoint } from '../base/index.ts';
    import { openEmbedded } from './index.ts';
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { fdatasyncSync } = fs;
    let syncs = 0;
    fs.fdatasyncSync = (fd) => {
      if (++syncs !== Number(process.env.REFUSED_SYNC)) return fdatasyncSync(fd);
      throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', errno: -5, syscall: 'fdatasync' });
    };
    syncBuiltinESMExports();
    const sql = await openEmbedded({ directory: process.argv[2], templateDirectory: process.argv[3] });
    await sql.exec('CREATE TABLE IF NOT EXISTS item (id int PRIMARY KEY)');
    console.log('open');
    armCrashPoint(process.env.ROUSE_CRASH_AT);
    for (let id = 1; process.env.WRITE; id++) {
      await sql.transaction((tx) => tx.query('INSERT INTO item VALUES ($1)', [id]));
      process.getBuiltinModule('node:fs').writeSync(1, id + '\\n');
    }
    setInterval(() => {}, 1000);
  `;
  const REFUSALS: [string, string, number][] = ['writeSync', 'fdatasyncSync'].flatMap((call) =>
    ['ENOSPC', 'EIO', 'EROFS', 'EMFILE'].flatMap((errno) => [
      [call, errno, 1],
      [call, errno, 3],
    ]),
  ) as never;
  /** Writes rows until the refusals are over and forty more are stored; a refused row is retried, and is stored once. */
  const REFUSED = `
    import { openEmbedded } from './index.ts';
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const [, , directory, templateDirectory, call, errno, times] = process.argv;
    const original = fs[call];
    let left = 0;
    fs[call] = (fd, ...rest) => {
      if (left === 0 || !/pg_wal/.test(fs.readlinkSync('/proc/self/fd/' + fd))) return original(fd, ...rest);
      left--;
      throw Object.assign(new Error(errno), { code: errno, syscall: call });
    };
    syncBuiltinESMExports();
    const say = (line) => console.log(line);
    const sql = await openEmbedded({ directory, templateDirectory });
    await sql.exec('CREATE TABLE item (id int PRIMARY KEY)');
    await sql.listen('news', (payload) => say(payload ?? 'notified'));
    let refused = 0;
    for (let id = 1; id <= 60; id++) {
      if (id === 20) left = Number(times);
      for (;;) {
        try {
          await sql.transaction((tx) => tx.query('INSERT INTO item VALUES ($1)', [id]));
          say('acknowledged ' + id);
          break;
        } catch (error) {
          if (error.code === 'conflict') break;
          if (refused++ === 0 || error.facts.sqlstate !== '57P02')
            say('refused ' + id + ' ' + error.code + ' ' + error.facts.sqlstate);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    }
    const { rows } = await sql.query('SELECT id FROM item ORDER BY id');
    for (const { id } of rows) say('stored ' + id);
    await sql.close();
    say('done');
  `;
  /** The log is refused at each insert, and never while the engine starts. Returns the pauses. */
  const IN_VAIN = `
    import { silentLog } from '../base/index.ts';
    import { openEmbedded } from './index.ts';
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const [, , directory, templateDirectory] = process.argv;
    const { writeSync } = fs;
    let refusing = false;
    fs.writeSync = (fd, ...rest) => {
      if (!refusing || !/pg_wal/.test(fs.readlinkSync('/proc/self/fd/' + fd))) return writeSync(fd, ...rest);
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
    };
    syncBuiltinESMExports();
    const pauses = [];
    let time = 0;
    const clock = {
      now: () => new Date(),
      monotonic: () => time,
      after: (ms, then) => {
        pauses.push(ms);
        time += ms;
        const waits = setImmediate(then);
        return () => clearImmediate(waits);
      },
    };
    let running = () => {};
    const log = { ...silentLog, info: () => running() };
    const sql = await openEmbedded({ directory, templateDirectory, clock, log });
    await sql.exec('CREATE TABLE item (id int)');
    const insert = () => sql.query('INSERT INTO item VALUES (1)').then(() => 'taken', (error) => error.code);
    for (const refused of [true, true, true, false, true]) {
      const again = new Promise((resolve) => (running = resolve));
      refusing = refused;
      console.log(await insert());
      refusing = false;
      if (refused) await again;
    }
    console.log(pauses.join(' '));
    await sql.close();
  `;
  let program: string;

  beforeAll(async () => {
    program = path.join(home, 'holder.mjs');
    await bundleProgram(HOLDER, program);
  });

  it('the embedded database belongs to one process: a second one is refused and harms nothing', async () => {
    const directory = newDirectory();
    const holder = startChild(program, [directory, templateDirectory()]);
    await holder.until((lines) => lines.includes('open'));
    await expect(open(directory)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(directory),
      hint: expect.any(String),
    });
    holder.process.kill('SIGKILL');
    await holder.ended;
    const sql = await open(directory);
    await expect(open(directory)).rejects.toMatchObject({ code: 'conflict' });
    expect((await sql.query('SELECT * FROM item')).rowCount).toBe(0);
    await sql.close();
  });

  it.each(sampled('sync', [2, 9], 1))(
    'the embedded database opens after a kill although the disk refuses to sync once (%i)',
    async (nth) => {
      const directory = newDirectory();
      const writer = startChild(program, [directory, templateDirectory()], { WRITE: '1' });
      await writer.until((lines) => lines.length > 20);
      writer.process.kill('SIGKILL');
      await writer.ended;
      const next = startChild(program, [directory, templateDirectory()], { REFUSED_SYNC: String(nth) });
      await next.until((lines) => lines.includes('open'));
      next.process.kill('SIGKILL');
      await next.ended;
    },
  );

  it.each(sampled('refused', REFUSALS, 1))(
    'the embedded database goes on after %s of its log was refused with %s: alive, nothing lost, nothing twice',
    async (call, errno, times) => {
      const program = path.join(home, 'refused.mjs');
      await bundleProgram(REFUSED, program);
      const writer = startChild(program, [newDirectory(), templateDirectory(), call, errno, String(times)]);
      await writer.until((lines) => lines.includes('done'));
      const numbers = (word: string): number[] =>
        writer.lines.filter((line) => line.startsWith(`${word} `)).map((line) => Number(line.split(' ')[1]));
      const stored = numbers('stored');
      expect(writer.lines.some((line) => /^refused \d+ unavailable 57P02$/.test(line))).toBe(true);
      expect(stored).toEqual([...new Set(stored)]);
      expect(stored).toEqual(expect.arrayContaining(numbers('acknowledged')));
      expect(writer.lines).toContain('notified');
      expect((await writer.ended).code).toBe(0);
    },
  );

  it('the embedded database waits longer each time it ended before anything was written, and briefly again after something was', async () => {
    const program = path.join(home, 'in-vain.mjs');
    await bundleProgram(IN_VAIN, program);
    const writer = startChild(program, [newDirectory(), templateDirectory()]);
    expect(await writer.ended).toMatchObject({ code: 0, stderr: '' });
    const refused = (times: number) => Array<string>(times).fill('unavailable');
    expect(writer.lines).toEqual([...refused(3), 'taken', ...refused(1), '250 500 1000 250']);
  });

  const instants: [string, string?][] = [
    ['at any instant'],
    ['just before a commit', 'db.before-commit@20'],
    ['just after a commit', 'db.after-commit@20'],
  ];
  it.each(sampled('kill', instants, 1))(
    'the embedded database has lost no acknowledged row when its process is killed %s',
    async (_, at) => {
      const directory = newDirectory();
      const writer = startChild(program, [directory, templateDirectory()], {
        WRITE: '1',
        ROUSE_CRASH_AT: at,
      });
      if (!at) {
        await writer.until((lines) => lines.length > 100);
        writer.process.kill('SIGKILL');
      }
      expect((await writer.ended).signal).toBe('SIGKILL');
      const acknowledged = writer.lines.slice(1).map(Number);
      const sql = await open(directory);
      const { rows } = await sql.query<{ id: number }>('SELECT id FROM item ORDER BY id');
      await sql.close();
      expect(rows.map(({ id }) => id).slice(0, acknowledged.length)).toEqual(acknowledged);
      if (at) expect(rows.length).toBe(at.includes('after') ? 20 : 19);
    },
  );

  it('the embedded database keeps files for its owner only, and what was written when it was closed', async () => {
    const directory = newDirectory();
    const first = await open(directory);
    await first.exec('CREATE TABLE item (id int); INSERT INTO item VALUES (1)');
    await first.close();
    expect(fs.statSync(directory).mode & 0o777).toBe(0o700);
    expect(fs.statSync(`${directory}.lock`).mode & 0o777).toBe(0o600);
    const second = await open(directory);
    expect((await second.query('SELECT id FROM item')).rows).toEqual([{ id: 1 }]);
    await second.close();
  });

  it('the embedded database asks the disk to store each commit', async () => {
    const sql = await open(newDirectory());
    const { rows } = await sql.query(`SELECT name, setting FROM pg_settings WHERE name IN ('fsync',
      'synchronous_commit', 'wal_sync_method', 'full_page_writes') ORDER BY name`);
    await sql.close();
    expect(rows.map((row) => `${row['name']}=${row['setting']}`)).toEqual([
      'fsync=on',
      'full_page_writes=on',
      'synchronous_commit=on',
      'wal_sync_method=fsync',
    ]);
  });

  it('the embedded database keeps its log bounded and clears dead rows by itself', async () => {
    const directory = newDirectory();
    const sql = await open(directory);
    await sql.exec('CREATE TABLE item (id int PRIMARY KEY, body text)');
    await sql.query(`INSERT INTO item SELECT n, repeat('x', 500) FROM generate_series(1, 5000) n`);
    for (let round = 0; round < 60; round++)
      await sql.query('UPDATE item SET body = $1', [`${round}`.repeat(300)]);
    const log = fs.readdirSync(path.join(directory, 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name));
    const { rows } = await sql.query<{ size: number }>(`SELECT pg_relation_size('item') AS size`);
    await sql.close();
    expect(log.length).toBeLessThan(8);
    expect(rows[0]?.size).toBeLessThan(5000 * 700 * 16);
  });

  it('the embedded database finishes a start that was killed while the database was being made', async () => {
    const directory = newDirectory();
    const crash = `
      import { armCrashPoint } from '../base/index.ts';
      import { openEmbedded } from './index.ts';
      armCrashPoint('db.embedded-built');
      await openEmbedded({ directory: process.argv[2], templateDirectory: process.argv[3] });`;
    await bundleProgram(crash, path.join(home, 'crash.mjs'));
    const child = startChild(path.join(home, 'crash.mjs'), [directory, templateDirectory()]);
    expect((await child.ended).signal).toBe('SIGKILL');
    expect(fs.existsSync(directory)).toBe(false);
    const sql = await open(directory);
    expect((await sql.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await sql.close();
    expect(fs.existsSync(`${directory}.new`)).toBe(false);
  });

  it('the embedded database starts without a template too', async () => {
    const sql = await openEmbedded({ directory: newDirectory() });
    expect((await sql.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await sql.close();
  });

  it.each<[string, (directory: string) => void, string]>([
    ['other files', (directory) => fs.writeFileSync(path.join(directory, 'mine.txt'), 'x'), 'conflict'],
    [
      'another version',
      (directory) => fs.writeFileSync(path.join(directory, 'PG_VERSION'), '15\n'),
      'unsupported',
    ],
    ['ruins', (directory) => fs.writeFileSync(path.join(directory, 'PG_VERSION'), '18\n'), 'internal'],
  ])('the embedded database refuses a directory with %s and frees its lock', async (_, plant, code) => {
    const directory = newDirectory();
    fs.mkdirSync(directory);
    plant(directory);
    const exitCode = process.exitCode;
    for (const _attempt of [1, 2]) {
      await expect(open(directory)).rejects.toMatchObject({
        code,
        message: expect.stringContaining(directory),
      });
    }
    expect(process.exitCode).toBe(exitCode);
  });
});

afterEach(() => {
  expect(process.exitCode).toBeUndefined();
});
