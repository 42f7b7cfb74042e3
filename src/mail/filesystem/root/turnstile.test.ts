import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Ending } from '../../../base/index.ts';
import { Turnstile } from './turnstile.ts';

const ending = new Ending();
afterEach(() => ending.run());

function lockFile(): string {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-turnstile-'));
  ending.add(() => fs.rmSync(directory, { recursive: true, force: true }));
  return path.join(directory, 'lock');
}

it('many writers of one process leave its threads to the one who writes', async () => {
  const file = lockFile();
  const writer = new Turnstile(file);
  expect(writer.tryEnter()).toBe(true);
  const others = Array.from({ length: 12 }, () => new Turnstile(file));
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

it('one that was closed while it was inside lets the next one in', async () => {
  const file = lockFile();
  const [first, second] = [new Turnstile(file), new Turnstile(file)];
  expect([first.tryEnter(), second.tryEnter()]).toEqual([true, false]);
  const entered = second.enter();
  first.close();
  await entered;
  second.leave();
  second.close();
});
