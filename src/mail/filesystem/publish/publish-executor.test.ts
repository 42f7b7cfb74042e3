import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type Clock, Ending, FakeClock } from '../../../base/index.ts';
import { PublishExecutor } from './publish-executor.ts';
import type { PublishTask } from './publish-tasks.ts';

const ending = new Ending();
afterEach(() => ending.run());

function world(clock: Clock) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-publish-'));
  ending.add(() => fs.rmSync(root, { recursive: true, force: true }));
  const executor = new PublishExecutor(root, clock);
  ending.add(() => executor.rest());
  let next = 0;
  const tasks = (count: number): PublishTask[] =>
    Array.from({ length: count }, () => {
      const file = `${root}/${next++}`;
      return { file: { staged: `${file}.tmp`, file, text: 'said' }, links: [] };
    });
  return { executor, tasks, made: () => fs.readdirSync(root).length };
}

/** Each look at it is long after the last. */
class TickingClock extends FakeClock {
  #elapsed = 0;
  override monotonic(): number {
    this.#elapsed += 50;
    return this.#elapsed;
  }
}

it('a few at a time are made here, however many there were before them', async () => {
  const { executor, tasks, made } = world(new FakeClock());
  for (let n = 0; n < 10; n++) expect(await executor.run(tasks(5))).toEqual([null, null, null, null, null]);
  expect([executor.inBurst, executor.hasThread, made()]).toEqual([true, false, 50]);
});

it('many at once are made by a thread', async () => {
  const { executor, tasks, made } = world(new FakeClock());
  await executor.run(tasks(100));
  expect([executor.hasThread, made()]).toEqual([true, 100]);
});

it('where the file system has become slow, a thread makes the few too', async () => {
  const { executor, tasks, made } = world(new TickingClock());
  await executor.run(tasks(2));
  expect(executor.hasThread).toBe(false);
  await executor.run(tasks(2));
  expect([executor.hasThread, made()]).toEqual([true, 4]);
});
