import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../base/index.ts';
import { LIMITS, setLimits } from '../../domain/index.ts';
import type { TaskRow } from './task.ts';
import { TaskWatch } from './task-watch.ts';

afterEach(() =>
  setLimits(Object.fromEntries(Object.values(LIMITS).map((row) => [row.variable, `${row.standard}`]))),
);

const WORKING = { state: 'WORKING' } as TaskRow;

/** Starts followers; each has its first state and waits for the next. */
async function follow(watch: TaskWatch, orgId: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++)
    await watch.states({ orgId, taskId: `${orgId}-${i}`, forMs: 60_000, load: async () => WORKING }).next();
}

it('followers are limited per org and per server', async () => {
  setLimits({ ROUSE_MAX_FOLLOWERS_PER_ORG: '3', ROUSE_MAX_FOLLOWERS: '5' });
  const watch = new TaskWatch(systemClock);
  await follow(watch, 'a', 2);
  expect(watch.fullBy('a')).toBeUndefined();
  await follow(watch, 'a', 1);
  expect([watch.fullBy('a'), watch.fullBy('b')]).toEqual(['followersPerOrg', undefined]);
  await follow(watch, 'b', 2);
  expect([watch.fullBy('b'), watch.fullBy('c')]).toEqual(['followers', 'followers']);
  await watch.stop();
});

it('a follower that ends makes room for another', async () => {
  setLimits({ ROUSE_MAX_FOLLOWERS_PER_ORG: '1' });
  const watch = new TaskWatch(systemClock);
  const states = watch.states({ orgId: 'a', taskId: 't', forMs: 60_000, load: async () => WORKING });
  await states.next();
  expect(watch.fullBy('a')).toBe('followersPerOrg');
  const gone = new Promise<void>((resolve) => void states.next().then(() => resolve()));
  await watch.stop();
  await gone;
  expect(watch.fullBy('a')).toBeUndefined();
});
