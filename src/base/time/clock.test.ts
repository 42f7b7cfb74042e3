import { describe, expect, it } from 'vitest';
import { sleep, systemClock } from './clock.ts';
import { FakeClock } from './fake-clock.ts';

describe('a fake clock', () => {
  it('a fake clock runs timers in the order they fall due, and equal ones in the order they were set', async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    clock.after(20, () => seen.push('later'));
    clock.after(10, () => seen.push('first'));
    clock.after(10, () => seen.push('second'));
    await clock.advance(15);
    expect(seen).toEqual(['first', 'second']);
    await clock.advance(5);
    expect(seen).toEqual(['first', 'second', 'later']);
  });

  it('a fake clock runs a timer set by a timer within the same advance', async () => {
    const clock = new FakeClock();
    const at: number[] = [];
    const tick = (): void => {
      at.push(clock.monotonic());
      if (at.length < 5) clock.after(10, tick);
    };
    clock.after(10, tick);
    await clock.advance(100);
    expect(at).toEqual([10, 20, 30, 40, 50]);
  });

  it('a fake clock keeps monotonic time when the wall clock jumps', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00.000Z');
    clock.jumpWall(-3_600_000);
    await clock.advance(1000);
    expect(clock.monotonic()).toBe(1000);
    expect(clock.now().toISOString()).toBe('2025-12-31T23:00:01.000Z');
  });
});

describe('sleep', () => {
  it('sleep ends early when aborted and leaves no timer behind', async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    const slept = sleep(clock, 1e9, abort.signal);
    abort.abort();
    await slept;
    expect(clock.pending).toBe(0);
  });

  it('sleep accepts waits longer than the longest timer', () => {
    const cancel = systemClock.after(1e12, () => {
      throw new Error('fired');
    });
    cancel();
  });
});
