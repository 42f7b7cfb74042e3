import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Ending, FakeClock } from '../../base/index.ts';
import { openSqlite } from './sqlite.ts';
import { WriteTurn } from './write-turn.ts';

const ending = new Ending();
afterEach(() => ending.run());

function lockFile(): string {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-turn-'));
  ending.add(() => fs.rmSync(directory, { recursive: true, force: true }));
  return path.join(directory, 'lock');
}

it('many writers of one process leave its threads to the one that writes', async () => {
  const file = lockFile();
  const writer = new WriteTurn(file);
  expect(writer.tryEnter()).toBe(true);
  const others = Array.from({ length: 12 }, () => new WriteTurn(file));
  const order: number[] = [];
  const entered = others.map((one, index) =>
    one.enter().then(() => {
      order.push(index);
      one.leave();
    }),
  );
  await fs.promises.writeFile(`${file}.data`, 'written by a thread');
  expect(order).toEqual([]);
  writer.leave();
  await Promise.all(entered);
  expect(order).toEqual(others.map((_, index) => index));
  for (const one of [writer, ...others]) one.close();
});

it('a writer that is closed during its turn lets the next one in', async () => {
  const file = lockFile();
  const [first, second] = [new WriteTurn(file), new WriteTurn(file)];
  expect([first.tryEnter(), second.tryEnter()]).toEqual([true, false]);
  const entered = second.enter();
  first.close();
  await entered;
  second.leave();
  second.close();
});

it('a writer that is closed while it waits for its turn does not keep it', async () => {
  const file = lockFile();
  const [first, second, third] = [new WriteTurn(file), new WriteTurn(file), new WriteTurn(file)];
  expect(first.tryEnter()).toBe(true);
  const entered = [second.enter(), third.enter()];
  second.close();
  first.leave();
  await Promise.all(entered);
  third.close();
  first.close();
});

it('works that wait too long for a turn are rejected, and later ones are committed in their turn', async () => {
  const turnFile = lockFile();
  const clock = new FakeClock();
  const db = openSqlite({
    file: path.join(path.dirname(turnFile), 'db.sqlite'),
    migrations: [{ id: 'first', sql: 'CREATE TABLE t (n INTEGER)' }],
    busyTimeoutMs: 1000,
    turnFile,
    clock,
  });
  ending.add(() => db.close());
  const other = new WriteTurn(turnFile);
  ending.add(() => other.close());
  expect(other.tryEnter()).toBe(true);
  const insert = (n: number) => db.commitTogether((inside) => inside.run('INSERT INTO t VALUES (?)', [n]));
  const early = insert(1).catch((error: unknown) => error);
  await expect.poll(() => clock.pending).toBeGreaterThan(0);
  await clock.advance(1000);
  expect(await early).toMatchObject({ code: 'unavailable', message: 'the database stayed busy for 1 s' });
  const late = insert(2);
  other.leave();
  await late;
  expect(db.all('SELECT n FROM t')).toEqual([{ n: 2 }]);
});
