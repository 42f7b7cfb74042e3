import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite, type SqliteMigration } from '../index.ts';
import { bundleProgram, errorOf, startChild } from '../testing.ts';

const first: SqliteMigration = {
  id: '001',
  sql: 'CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1)',
};
const second: SqliteMigration = { id: '002', sql: (db) => void db.run('INSERT INTO a VALUES (?)', [2]) };

let directory: string;
let file: string;

beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-migrate-'));
  file = path.join(directory, 'store.db');
});

afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

function rowsAfter(migrations: SqliteMigration[]): unknown[] {
  const db = openSqlite({ file, migrations });
  const rows = db.all('SELECT x FROM a ORDER BY x').map((row) => row['x']);
  db.close();
  return rows;
}

describe('migrations', () => {
  it('migrations are applied once each, in order', () => {
    expect(rowsAfter([first])).toEqual([1]);
    expect(rowsAfter([first, second])).toEqual([1, 2]);
    expect(rowsAfter([first, second])).toEqual([1, 2]);
  });

  it('migrations write nothing when nothing is missing', () => {
    rowsAfter([first, second]);
    const before = fs.readFileSync(file);
    rowsAfter([first, second]);
    expect(fs.readFileSync(file).equals(before)).toBe(true);
  });

  it('migrations leave no trace of a step that fails, and keep those before it', () => {
    const broken: SqliteMigration = { id: '002', sql: 'CREATE TABLE b (x); INSERT INTO nowhere VALUES (1)' };
    expect(errorOf(() => rowsAfter([first, broken])).message).toContain('nowhere');
    expect(rowsAfter([first, second])).toEqual([1, 2]);
  });

  it.each<[string, SqliteMigration[], SqliteMigration[]]>([
    ['was written by newer code', [first, second], [first]],
    ['has steps of other code', [{ id: 'x', sql: 'CREATE TABLE z (x)' }], [first, second]],
  ])('migrations refuse a database that %s and change nothing', (_, written, opened) => {
    openSqlite({ file, migrations: written }).close();
    const before = fs.readFileSync(file);
    expect(errorOf(() => openSqlite({ file, migrations: opened }))).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(file),
      hint: expect.stringContaining('update Rouse'),
    });
    expect(fs.readFileSync(file).equals(before)).toBe(true);
  });

  it('migrations refuse two steps of the same id', () => {
    expect(errorOf(() => openSqlite({ file, migrations: [first, first] }))).toMatchObject({
      code: 'internal',
    });
  });

  it('migrations run once when processes open a new file at the same moment', async () => {
    const program = path.join(directory, 'open.mjs');
    await bundleProgram(
      `import { openSqlite } from './index.ts';
       const steps = Array.from({ length: 20 }, (_, n) => ({ id: 's' + n, sql: 'CREATE TABLE t' + n + ' (a)' }));
       const start = Number(process.argv[3]);
       while (Date.now() < start);
       openSqlite({ file: process.argv[2], migrations: steps });
       console.log('opened');`,
      program,
    );
    for (let round = 0; round < 3; round++) {
      const target = path.join(directory, `new-${round}.db`);
      const start = String(Date.now() + 400);
      const children = [1, 2, 3, 4].map(() => startChild(program, [target, start]));
      for (const child of children) {
        expect(await child.ended).toMatchObject({ code: 0, stderr: '' });
        expect(child.lines).toEqual(['opened']);
      }
    }
  });
});
