import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAsTenant } from '../../base/index.ts';
import { openSqlite, type Sqlite, type SqliteMigration, type SqliteValue } from '../index.ts';
import { errorOf } from '../testing.ts';

const migrations: SqliteMigration[] = [
  { id: '001-items', sql: 'CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE, value ANY) STRICT' },
];

let directory: string;
let file: string;
let open: Sqlite[];

beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-sqlite-'));
  file = path.join(directory, 'store.db');
  open = [];
});

afterEach(() => {
  for (const db of open) db.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

function openStore(options: Partial<Parameters<typeof openSqlite>[0]> = {}): Sqlite {
  const db = openSqlite({ file, migrations, ...options });
  open.push(db);
  return db;
}

const names = (db: Sqlite): unknown[] =>
  db.all('SELECT name FROM item ORDER BY id').map((row) => row['name']);

describe('opening', () => {
  it('opening a database keeps fewer pages in memory where others live in the process', () => {
    const cache = (db: Sqlite): unknown => db.get('PRAGMA cache_size')!['cache_size'];
    const alone = openStore();
    const beside = runAsTenant({ onError: () => {}, own: new Map() }, () => openStore());
    expect(Number(cache(beside)) / Number(cache(alone))).toBeLessThan(0.5);
    expect(Number(cache(beside))).toBeLessThan(0); // in KiB, not in pages
  });

  it('opening a database makes the file, its log and its directory for the owner only', () => {
    file = path.join(directory, 'deep', 'store.db');
    openStore().run('INSERT INTO item (name) VALUES (?)', ['a']);
    expect(fs.statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    for (const suffix of ['', '-wal', '-shm']) expect(fs.statSync(file + suffix).mode & 0o777).toBe(0o600);
  });

  it('opening a database uses a write-ahead log, full synchronisation and foreign keys', () => {
    const db = openStore();
    expect(db.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(db.get('PRAGMA synchronous')).toEqual({ synchronous: 2 });
    expect(db.get('PRAGMA foreign_keys')).toEqual({ foreign_keys: 1 });
    expect(openStore({ durable: false }).get('PRAGMA synchronous')).toEqual({ synchronous: 1 });
  });

  it.each([
    [
      'text',
      'internal',
      'is not an SQLite database',
      () => fs.writeFileSync(file, 'not a database '.repeat(100)),
    ],
    ['a directory', 'invalid', 'is not a regular file', () => fs.mkdirSync(file)],
    ['garbage behind a good header', 'internal', 'is damaged', () => spoil(file)],
  ])('opening a database refuses %s with a clear error and leaves it as it is', (_, code, says, plant) => {
    plant();
    const before = fs.statSync(file);
    const error = errorOf(() => openStore());
    expect(error).toMatchObject({ code, message: expect.stringContaining(says) });
    expect(error.message).toContain(file);
    expect(fs.statSync(file)).toMatchObject({ size: before.size, mtimeMs: before.mtimeMs });
  });

  it.each([
    ['a link to nothing', 'invalid', () => fs.symlinkSync(path.join(directory, 'nowhere'), file)],
    ['a path below a file', 'unavailable', () => fs.writeFileSync((file = path.join(directory, 'x')), '')],
    ['an empty path', 'invalid', () => void (file = '')],
  ])('opening a database refuses %s and makes nothing', (_, code, plant) => {
    plant();
    const before = fs.readdirSync(directory);
    if (code === 'unavailable') file = path.join(file, 'store.db');
    expect(errorOf(() => openStore())).toMatchObject({ code });
    expect(fs.readdirSync(directory)).toEqual(before);
  });

  it('opening a database for reading works without making or changing anything', () => {
    expect(errorOf(() => openStore({ readOnly: true }))).toMatchObject({ code: 'not_found' });
    expect(fs.existsSync(file)).toBe(false);
    openStore().run('INSERT INTO item (name) VALUES (?)', ['a']);
    const reader = openStore({ readOnly: true });
    expect(names(reader)).toEqual(['a']);
    expect(errorOf(() => reader.run('DELETE FROM item'))).toMatchObject({ code: 'unavailable' });
    const newer = [...migrations, { id: '002', sql: 'CREATE TABLE t2 (a)' }];
    expect(errorOf(() => openStore({ readOnly: true, migrations: newer }))).toMatchObject({
      code: 'not_ready',
    });
  });

  it('a closed database reports that it is closed', async () => {
    const db = openStore();
    db.close();
    db.close();
    expect(errorOf(() => db.get('SELECT 1'))).toMatchObject({ code: 'unavailable' });
    expect(errorOf(() => [...db.iterate('SELECT 1')])).toMatchObject({ code: 'unavailable' });
    await expect(db.commitTogether(() => 1)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

function spoil(target: string): void {
  openStore().close();
  const content = fs.readFileSync(target);
  content.fill(0xee, 100);
  fs.writeFileSync(target, content);
}

describe('SQLite values', () => {
  it.each<[string, unknown, string]>([
    ['text with U+0000', 'a\u0000b', 'U+0000'],
    ['undefined', undefined, 'undefined'],
    ['a Date', new Date(0), 'a Date'],
    ['NaN', Number.NaN, 'NaN'],
    ['an object', { a: 1 }, 'type object'],
    ['an array', [1], 'an array'],
    ['a function', () => 1, 'type function'],
    ['a symbol', Symbol('s'), 'type symbol'],
    ['a whole number beyond 64 bits', 2n ** 63n, '64 bits'],
  ])('binding a value refuses %s, names the parameter and stores nothing', (_, value, says) => {
    const db = openStore();
    const byOrder = errorOf(() =>
      db.run('INSERT INTO item (name, value) VALUES (?, ?)', ['a', value as SqliteValue]),
    );
    expect(byOrder).toMatchObject({ code: 'invalid', facts: { parameter: 'parameter 2' } });
    expect(byOrder.message).toContain(says);
    const byName = errorOf(() => db.run('INSERT INTO item (value) VALUES (:v)', { v: value as SqliteValue }));
    expect(byName).toMatchObject({ code: 'invalid', facts: { parameter: 'parameter v' } });
    expect(names(db)).toEqual([]);
  });

  it.each<[string, string, SqliteValue[] | Record<string, SqliteValue>]>([
    ['too few values', 'SELECT ?, ?', [1]],
    ['too many values', 'SELECT ?', [1, 2]],
    ['a missing name', 'SELECT :a, :b', { a: 1 }],
    ['an unknown name', 'SELECT :a', { a: 1, b: 2 }],
    ['values in order for names', 'SELECT :a', [1]],
    ['names for values in order', 'SELECT ?', { a: 1 }],
    ['the name of a method', 'SELECT :toString', {}],
  ])('binding a value refuses %s instead of binding NULL', (_, sql, params) => {
    expect(errorOf(() => openStore().get(sql, params))).toMatchObject({ code: 'invalid' });
  });

  it('binding values finds no parameters in text, names and comments', () => {
    const row = openStore().get(`SELECT '?:a' AS "x?", ?2 AS b, ?1 AS a -- ? :c\n /* $d */`, [1, 2]);
    expect(row).toEqual({ 'x?': '?:a', b: 2, a: 1 });
  });

  it('a second statement is refused, which would be left out silently', () => {
    const db = openStore();
    expect(errorOf(() => db.run('DELETE FROM item; SELECT 1'))).toMatchObject({ code: 'internal' });
    expect(db.all('SELECT 1 AS a; -- the end')).toEqual([{ a: 1 }]);
  });

  it('every storable SQLite value is returned unchanged', () => {
    const db = openStore({ durable: false });
    const value = fc.oneof(
      fc.string({ unit: 'binary' }).filter((text) => !text.includes('\u0000')),
      fc.double({ noNaN: true }),
      fc.maxSafeInteger(),
      fc.integer(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.boolean(),
      fc.uint8Array(),
      fc.uint8Array({ minLength: 4 }).map((bytes) => Buffer.from(bytes).subarray(1, 3)),
      fc.constant(null),
    );
    fc.assert(
      fc.property(value, (stored) => {
        const row = db.get<{ v: unknown; t: string }>(
          'INSERT INTO item (value) VALUES (?) RETURNING value AS v, typeof(value) AS t',
          [stored],
        );
        expect(row).toEqual(expectedOf(stored));
        expect(db.get('SELECT :v AS v, typeof(:v) AS t', { v: stored })).toEqual(expectedOf(stored));
      }),
      { numRuns: 2000 },
    );
  });

  it('SQLite keeps rowids beyond 53 bits exact', () => {
    const id = 2n ** 62n + 1n;
    expect(openStore().run('INSERT INTO item (id) VALUES (?)', [id]).lastInsertRowid).toBe(id);
  });
});

function expectedOf(value: SqliteValue): { v: unknown; t: string } {
  if (value === null) return { v: null, t: 'null' };
  if (typeof value === 'boolean') return { v: Number(value), t: 'integer' };
  if (typeof value === 'string') return { v: value, t: 'text' };
  if (typeof value === 'number') {
    // The driver drops a fraction below 2^-52.
    const stored = value - Math.floor(value) < Number.EPSILON ? Math.floor(value) : value;
    return Number.isSafeInteger(stored) ? { v: stored + 0, t: 'integer' } : { v: value, t: 'real' };
  }
  if (typeof value === 'bigint') {
    const number = Number(value);
    return { v: Number.isSafeInteger(number) ? number : value, t: 'integer' };
  }
  return { v: new Uint8Array(value), t: 'blob' };
}

describe('reading', () => {
  it('a statement can be used again while its rows are still being read', () => {
    const db = openStore();
    for (const name of ['a', 'b', 'c']) db.run('INSERT INTO item (name) VALUES (?)', [name]);
    const sql = 'SELECT name FROM item ORDER BY id';
    const pairs: string[] = [];
    for (const outer of db.iterate<{ name: string }>(sql)) {
      for (const inner of db.iterate<{ name: string }>(sql)) pairs.push(outer.name + inner.name);
      db.all(sql);
    }
    expect(pairs).toEqual(['aa', 'ab', 'ac', 'ba', 'bb', 'bc', 'ca', 'cb', 'cc']);
  });

  it('a reader that stops early releases its view of the file', () => {
    const db = openStore();
    for (const name of ['a', 'b']) db.run('INSERT INTO item (name) VALUES (?)', [name]);
    for (const _ of db.iterate('SELECT name FROM item')) break;
    openStore().run('INSERT INTO item (name) VALUES (?)', ['c']);
    db.transaction(() => db.run('INSERT INTO item (name) VALUES (?)', ['d']));
    expect(names(db)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('a bounded number of prepared statements is kept', () => {
    const db = openStore();
    for (let n = 0; n < 2000; n++) db.get(`SELECT ${n} AS n`);
    expect(db.get('SELECT 7 AS n')).toEqual({ n: 7 });
  });
});

describe('a transaction', () => {
  it('a transaction is undone as a whole when its function throws', () => {
    const db = openStore();
    const attempt = () =>
      db.transaction(() => {
        db.run('INSERT INTO item (name) VALUES (?)', ['a']);
        throw new Error('no');
      });
    expect(attempt).toThrow('no');
    expect(names(db)).toEqual([]);
  });

  it('a transaction nested in another is undone alone', () => {
    const db = openStore();
    db.transaction(() => {
      db.run('INSERT INTO item (name) VALUES (?)', ['outer']);
      expect(() =>
        db.transaction(() => {
          db.run('INSERT INTO item (name) VALUES (?)', ['inner']);
          db.transaction(() => db.run('INSERT INTO item (name) VALUES (?)', ['innermost']));
          throw new Error('no');
        }),
      ).toThrow('no');
      db.transaction(() => db.run('INSERT INTO item (name) VALUES (?)', ['second']));
    });
    expect(names(db)).toEqual(['outer', 'second']);
  });

  it('a transaction refuses an asynchronous function, whose work would escape it', () => {
    const db = openStore();
    const attempt = () =>
      db.transaction(async () => {
        db.run('INSERT INTO item (name) VALUES (?)', ['a']);
      });
    expect(errorOf(attempt)).toMatchObject({ code: 'internal', message: expect.stringContaining('promise') });
    expect(names(db)).toEqual([]);
  });

  it('a transaction reports a taken key as a conflict that can be recognised', () => {
    const db = openStore();
    db.run('INSERT INTO item (name) VALUES (?)', ['a']);
    const error = errorOf(() => db.run('INSERT INTO item (name) VALUES (?)', ['a']));
    expect(error.code).toBe('conflict');
    const again = errorOf(() => db.all("INSERT INTO item (name) VALUES ('a') RETURNING id"));
    expect(again).toMatchObject({ code: 'conflict', message: error.message });
    expect(errorOf(() => db.run('INSERT INTO item (id) VALUES (?)', ['text'])).code).not.toBe('conflict');
  });

  it('a transaction waits for another writer, then reports the database as busy', () => {
    const [writer, other] = [openStore(), openStore({ busyTimeoutMs: 1 })];
    writer.transaction(() => {
      expect(errorOf(() => other.run('DELETE FROM item'))).toMatchObject({ code: 'unavailable' });
    });
    other.run('DELETE FROM item');
  });
});

describe('closing', () => {
  it('closing a database leaves everything in the main file', () => {
    const db = openStore();
    db.run('INSERT INTO item (name) VALUES (?)', ['a']);
    db.close();
    const copy = path.join(directory, 'copy.db');
    fs.copyFileSync(file, copy);
    expect(names(openStore({ file: copy }))).toEqual(['a']);
  });
});
