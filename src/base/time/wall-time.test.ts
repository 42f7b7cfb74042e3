import { describe, expect, it } from 'vitest';
import { FakeClock } from './fake-clock.ts';
import { PastMoment, untilWall, WALL_CHECK_MS } from './wall-time.ts';

const HOUR_MS = 3_600_000;

describe('a moment that has passed', () => {
  it.each([1, -1, 48, -48])(
    'a moment that has passed is as old as it is when the clock is set by %i hours',
    async (hours) => {
      const clock = new FakeClock();
      const moment = new PastMoment(clock, clock.now().getTime() - 1000);
      await clock.advance(5000);
      clock.jumpWall(hours * HOUR_MS);
      expect(moment.ageMs).toBe(6000);
      expect(moment.ms).toBe(clock.now().getTime() - 6000);
      clock.jumpWall(-hours * HOUR_MS);
      expect(moment.ageMs).toBe(6000);
    },
  );

  it('a past moment counts as now if its timestamp is in the future', async () => {
    const clock = new FakeClock();
    const moment = new PastMoment(clock, clock.now().getTime() + HOUR_MS);
    await clock.advance(10);
    expect(moment.ageMs).toBe(10);
  });

  it('a past moment keeps its timestamp to the millisecond while the clocks only drift', async () => {
    const clock = new FakeClock();
    const at = clock.now().getTime();
    const moment = new PastMoment(clock, at);
    clock.jumpWall(400);
    expect(moment.ms).toBe(at);
  });
});

it('a wait for a time on the wall clock checks again within a minute', () => {
  const clock = new FakeClock();
  const now = clock.now().getTime();
  expect([-5, 5, 2 * HOUR_MS].map((ms) => untilWall(clock, now + ms))).toEqual([0, 5, WALL_CHECK_MS]);
});
