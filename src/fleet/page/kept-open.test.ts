import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeClock } from '../../base/index.ts';
import { KeptOpen } from './kept-open.ts';

let directory: string;
let file: string;
let clock: FakeClock;
let events: string[];
let kept: KeptOpen<{ number: number; close(): void }>;
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-kept-'));
  file = path.join(directory, 'file');
  fs.writeFileSync(file, '');
  clock = new FakeClock();
  events = [];
  let opened = 0;
  kept = new KeptOpen({
    clock,
    fileOf: (key) => key,
    open: (key) => {
      if (!fs.existsSync(key)) throw new Error('there is none');
      const number = ++opened;
      events.push(`open ${number}`);
      return { number, close: () => void events.push(`close ${number}`) };
    },
  });
});
afterEach(() => {
  kept.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

const numberNow = (): number => kept.use(file, ({ number }) => number);

it('a database is opened once for many queries, and closed after a minute without one', async () => {
  for (let n = 0; n < 5; n++) expect(numberNow()).toBe(1);
  await clock.advance(59_000);
  numberNow();
  await clock.advance(59_000);
  expect(events).toEqual(['open 1']);
  await clock.advance(61_000);
  expect(events).toEqual(['open 1', 'close 1']);
  expect(numberNow()).toBe(2);
});

it('a database is opened again when its file was replaced, and not used when the file is gone', () => {
  numberNow();
  fs.writeFileSync(`${file}.new`, '');
  fs.renameSync(`${file}.new`, file);
  expect(numberNow()).toBe(2);
  fs.rmSync(file);
  expect(kept.useIfThere(file, () => 'read')).toBeUndefined();
  expect(events).toEqual(['open 1', 'close 1', 'open 2', 'close 2']);
});

it('a database in use is not closed', async () => {
  let end = (): void => {};
  const long = kept.useLong(file, () => new Promise<void>((done) => (end = done)));
  kept.close();
  expect(events).toEqual(['open 1']);
  end();
  await long;
  expect(events).toEqual(['open 1', 'close 1']);
});

it('a database stays open when the work throws', () => {
  const fail = (): never => {
    throw new Error('no');
  };
  expect(() => kept.use(file, fail)).toThrow('no');
  expect(() => kept.useIfThere(file, fail)).toThrow('no');
  expect(numberNow()).toBe(1);
});
