import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../base/index.ts';
import { openSqlite, type Sqlite } from '../index.ts';
import { bundleProgram, startChild } from '../testing.ts';

const migrations = [
  { id: '001', sql: 'CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE) STRICT' },
];

let directory: string;
let file: string;
let db: Sqlite;

beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-group-'));
  file = path.join(directory, 'store.db');
  db = openSqlite({ file, migrations });
});

afterEach(() => {
  db.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

const insert = (name: string) => (): string => {
  db.run('INSERT INTO item (name) VALUES (?)', [name]);
  return name;
};
const names = (reader = db): unknown[] =>
  reader.all('SELECT name FROM item ORDER BY id').map((row) => row['name']);

describe('grouped works', () => {
  it('grouped works keep their settings to themselves: work outside a group syncs on its own and waits for a writer', async () => {
    const settings = (): unknown[] => [
      ...Object.values(db.get('PRAGMA synchronous')!),
      ...Object.values(db.get('PRAGMA busy_timeout')!),
    ];
    const before = settings();
    expect(before).toEqual([2, 5000]);
    const inside = await db.commitTogether(settings);
    expect(inside).toEqual([1, 0]);
    expect(settings()).toEqual(before);
    await db.commitTogether(insert('kept'));
    expect(names()).toEqual(['kept']);
    expect(db.transaction(settings)).toEqual(before);
    const failed = db.commitTogether(() => {
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(settings()).toEqual(before);
    expect(names()).toEqual(['kept']);
  });

  it('grouped works share one transaction and resolve after it', async () => {
    const reader = openSqlite({ file, migrations, readOnly: true });
    const seenByOthers: unknown[][] = [];
    const look = (): void => void seenByOthers.push(names(reader));
    const results = await Promise.all([
      db.commitTogether(insert('a')).finally(look),
      db.commitTogether(() => look()),
      db.commitTogether(insert('b')).finally(look),
    ]);
    reader.close();
    expect(results).toEqual(['a', undefined, 'b']);
    expect(seenByOthers).toEqual([[], ['a', 'b'], ['a', 'b']]);
  });

  it('grouped works share a transaction even if each arrives one turn of the event loop after another', async () => {
    const order: string[] = [];
    const arrive = async (name: string): Promise<void> => {
      await db.commitTogether(() => {
        order.push(name);
        return insert(name)();
      });
      order.push(`${name} is answered`);
    };
    const arrivals = [arrive('a')];
    for (const name of ['b', 'c', 'd']) {
      await new Promise(setImmediate);
      arrivals.push(arrive(name));
    }
    await Promise.all(arrivals);
    expect(order.slice(0, 4)).toEqual(['a', 'b', 'c', 'd']);
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('grouped works do not wait for an endless stream of further ones', async () => {
    let now = 0;
    const clock = Object.assign(new FakeClock(), { monotonic: () => (now += 0.1) });
    const busy = openSqlite({ file, migrations, clock });
    let answered = false;
    const first = busy.commitTogether(() => {}).then(() => (answered = true));
    let came = 0;
    while (!answered && came < 200) {
      await new Promise(setImmediate);
      void busy.commitTogether(() => {});
      came++;
    }
    await first;
    busy.close();
    expect(came).toBeLessThan(20);
  });

  it('grouped works do not suffer from a neighbour that fails', async () => {
    const results = await Promise.allSettled([
      db.commitTogether(insert('a')),
      db.commitTogether(() => {
        insert('undone')();
        throw new Error('no');
      }),
      db.commitTogether(insert('a')),
      db.commitTogether(() => db.run('SELECT nonsense')),
      db.commitTogether(async () => insert('escaped')()),
      db.commitTogether(() => db.transaction(insert('b'))),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(names()).toEqual(['a', 'b']);
  });

  it('grouped works may ask for more work, which is committed later', async () => {
    const inner = await db.commitTogether(() => {
      insert('outer')();
      return { promise: db.commitTogether(insert('inner')) };
    });
    expect(names()).toEqual(['outer']);
    await inner.promise;
    expect(names()).toEqual(['outer', 'inner']);
  });

  it('grouped works are all refused when their common transaction is lost', async () => {
    const results = await Promise.allSettled([
      db.commitTogether(insert('a')),
      db.commitTogether(() => db.exec('ROLLBACK')),
      db.commitTogether(insert('b')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(names()).toEqual([]);
    await db.commitTogether(insert('later'));
    expect(names()).toEqual(['later']);
  });

  it('grouped works report a full disk, and go on when there is room again', async () => {
    await db.commitTogether(insert('first'));
    db.exec('PRAGMA max_page_count = 1');
    const big = (n: number) => db.commitTogether(insert(`${n}`.repeat(20_000)));
    const results = await Promise.allSettled([big(1), big(2), big(3)]);
    for (const result of results) expect(result).toMatchObject({ reason: { code: 'unavailable' } });
    db.exec('PRAGMA max_page_count = 100000');
    await db.commitTogether(insert('last'));
    expect(names()).toEqual(['first', 'last']);
  });

  it('grouped works leave nothing when their log cannot be opened to be synced', async () => {
    const unlinking = (): void => {
      insert('a')();
      fs.rmSync(`${file}-wal`);
    };
    await expect(db.commitTogether(unlinking)).rejects.toThrow('no such file');
    expect(names()).toEqual([]);
  });

  it('grouped works are committed by close()', async () => {
    const waiting = db.commitTogether(insert('a'));
    db.close();
    expect(await waiting).toBe('a');
    const reader = openSqlite({ file, migrations });
    expect(names(reader)).toEqual(['a']);
    reader.close();
  });

  it('grouped works hold any mix of good and bad works, in order', async () => {
    let round = 0;
    const works = fc.array(fc.record({ good: fc.boolean(), turns: fc.nat(2) }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(works, async (list) => {
        const prefix = `${round++}-`;
        const results = await Promise.allSettled(
          list.map(async ({ good, turns }, index) => {
            for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
            await db.commitTogether(() => {
              insert(prefix + index)();
              if (!good) throw new Error('no');
            });
          }),
        );
        expect(results.map(({ status }) => status === 'fulfilled')).toEqual(list.map(({ good }) => good));
        const stored = db.all<{ name: string }>('SELECT name FROM item WHERE name GLOB ?', [`${prefix}*`]);
        const kept = list.flatMap(({ good }, index) => (good ? [prefix + index] : []));
        expect(stored.map(({ name }) => name).sort()).toEqual(kept.sort());
      }),
      { numRuns: 50 },
    );
  });
});

describe('while another process holds the write lock', () => {
  it('while another process holds the write lock, grouped works wait without blocking, and are stored when it lets go', async () => {
    const other = openSqlite({ file, migrations });
    other.exec('BEGIN IMMEDIATE');
    const waiting = db.commitTogether(insert('a'));
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    other.exec('COMMIT');
    other.close();
    expect(await waiting).toBe('a');
  });

  it('while another process holds the write lock, grouped works are refused as unavailable after the time limit, and nothing of them is stored', async () => {
    const clock = new FakeClock();
    const patient = openSqlite({ file, migrations, clock, busyTimeoutMs: 1000 });
    db.exec('BEGIN IMMEDIATE');
    const refused = expect(
      patient.commitTogether(() => patient.run('DELETE FROM item')),
    ).rejects.toMatchObject({
      code: 'unavailable',
    });
    await new Promise(setImmediate);
    await clock.advance(2000);
    await refused;
    db.exec('COMMIT');
    await patient.commitTogether(() => patient.run('INSERT INTO item (name) VALUES (?)', ['b']));
    patient.close();
    expect(names()).toEqual(['b']);
  });
});

/** Reads of a file without a write-ahead log are refused while another process writes to it. */
const HOLDER = `
  import { openSqlite } from './index.ts';
  const [file] = process.argv.slice(2);
  const db = openSqlite({ file, migrations: ${JSON.stringify(migrations)} });
  db.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  console.log('held');
  setInterval(() => db, 60_000);
`;

describe('a question after a group', () => {
  it.each(['get', 'all'] as const)(
    '(%s) is asked again when a writer has it refused, and then waits',
    async (ask) => {
      const besides = path.join(directory, 'besides.db');
      const seed = openSqlite({ file: besides, migrations });
      seed.run("INSERT INTO item (name) VALUES ('there')");
      seed.exec('PRAGMA journal_mode = DELETE');
      seed.close();
      const patient = openSqlite({ file, migrations, busyTimeoutMs: 60_000 });
      patient.exec(`ATTACH '${besides}' AS besides`);
      await patient.commitTogether(() => patient.run("INSERT INTO item (name) VALUES ('grouped')"));
      const program = path.join(directory, 'holder.mjs');
      await bundleProgram(HOLDER, program);
      const holder = startChild(program, [besides]);
      await holder.until((lines) => lines.includes('held'));
      let tries = 0;
      const params = {
        get name(): string {
          // The lock ends with its holder, and not before the first try was refused.
          if (++tries === 2) holder.process.kill('SIGKILL');
          return 'there';
        },
      };
      try {
        const rows = patient[ask]('SELECT name FROM besides.item WHERE name = :name', params);
        expect([rows].flat()).toEqual([{ name: 'there' }]);
        expect(tries).toBe(2);
      } finally {
        holder.process.kill('SIGKILL');
        await holder.ended;
        patient.close();
      }
    },
  );
});

const WRITER = `
  import { armCrashPoint } from '../base/index.ts';
  import { openSqlite } from './index.ts';
  const [file, name] = process.argv.slice(2);
  armCrashPoint(process.env.ROUSE_CRASH_AT);
  const db = openSqlite({ file, migrations: ${JSON.stringify(migrations)} });
  let next = 0;
  async function client() {
    for (;;) {
      const key = name + '-' + next++;
      await db.commitTogether(() => db.run('INSERT INTO item (name) VALUES (?)', [key]));
      require('node:fs').writeSync(1, key + '\\n');
    }
  }
  for (let n = 0; n < 8; n++) void client();
`.replace('require(', 'process.getBuiltinModule(');

describe('a writer killed with SIGKILL', () => {
  it('a writer killed with SIGKILL has lost no acknowledged row, with two writers at once', async () => {
    const program = path.join(directory, 'writer.mjs');
    await bundleProgram(WRITER, program);
    const writers = ['a', 'b'].map((name) => startChild(program, [file, name]));
    await Promise.all(writers.map((writer) => writer.until((lines) => lines.length > 300)));
    for (const writer of writers) writer.process.kill('SIGKILL');
    for (const writer of writers) expect((await writer.ended).signal).toBe('SIGKILL');
    const stored = new Set(names());
    const acknowledged = writers.flatMap(({ lines }) => lines);
    expect(acknowledged.length).toBeGreaterThan(600);
    expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
    expect(db.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
  });

  it.each([
    ['just before a commit, has stored nothing of it', 'db.before-commit@5'],
    ['just after a commit, has stored all of it', 'db.after-commit@5'],
  ])('%s', async (_, at) => {
    const program = path.join(directory, 'writer.mjs');
    await bundleProgram(WRITER, program);
    const writer = startChild(program, [file, 'a'], { ROUSE_CRASH_AT: at });
    expect((await writer.ended).signal).toBe('SIGKILL');
    const unacknowledged = names().filter((name) => !writer.lines.includes(name as string));
    expect(names()).toEqual(expect.arrayContaining(writer.lines));
    expect(unacknowledged.length > 0).toBe(at.startsWith('db.after'));
  });
});
