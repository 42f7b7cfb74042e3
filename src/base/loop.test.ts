import { describe, expect, it } from 'vitest';
import { Loop, type NextPass } from './loop.ts';
import { FakeClock } from './time/fake-clock.ts';

function loopOf(
  clock: FakeClock,
  pass: () => NextPass | Promise<NextPass>,
  troubles: (string | undefined)[] = [],
): Loop {
  return new Loop({
    name: 'test',
    clock,
    pass,
    onTrouble: (trouble) => troubles.push(trouble?.message),
    backoff: { firstMs: 100, maxMs: 400 },
  });
}

describe('a loop', () => {
  it('a loop waits as long as each pass returns', async () => {
    const clock = new FakeClock();
    const at: number[] = [];
    const loop = loopOf(clock, () => {
      at.push(clock.monotonic());
      return 250;
    }).start();
    await clock.advance(1000);
    expect(at).toEqual([0, 250, 500, 750, 1000]);
    await loop.stop();
  });

  it('a loop sleeps without a timer when idle, and a wake brings one pass at once', async () => {
    const clock = new FakeClock();
    let passes = 0;
    const loop = loopOf(clock, () => {
      passes++;
      return 'idle';
    }).start();
    await clock.advance(1e9);
    expect([passes, clock.pending]).toEqual([1, 0]);
    loop.wake();
    await clock.advance(0);
    expect(passes).toBe(2);
    await loop.stop();
  });

  it('a loop makes exactly one more pass for any number of wakes that arrive during a pass', async () => {
    const clock = new FakeClock();
    let passes = 0;
    const loop: Loop = loopOf(clock, () => {
      passes++;
      if (passes === 1) for (let i = 0; i < 10; i++) loop.wake();
      return 'idle';
    });
    loop.start();
    await clock.advance(1);
    expect(passes).toBe(2);
    await loop.stop();
  });

  it('a loop survives errors with growing pauses, and reports each new cause once, and the recovery', async () => {
    const clock = new FakeClock();
    const at: number[] = [];
    const troubles: (string | undefined)[] = [];
    const loop = loopOf(
      clock,
      () => {
        at.push(clock.monotonic());
        if (at.length <= 5) throw new Error(at.length === 5 ? 'other' : 'disk');
        return 'idle';
      },
      troubles,
    ).start();
    await clock.advance(5000);
    expect(at).toEqual([0, 100, 300, 700, 1100, 1500]);
    expect(troubles).toEqual(['disk', 'other', undefined]);
    expect(loop.trouble).toBeUndefined();
    await loop.stop();
  });

  it('a loop stops only after the pass in progress has ended', async () => {
    const clock = new FakeClock();
    let ended = false;
    const loop = new Loop({
      name: 'slow',
      clock,
      pass: (signal) =>
        new Promise<NextPass>((resolve) => {
          signal.addEventListener('abort', () => {
            ended = true;
            resolve('idle');
          });
        }),
    }).start();
    await clock.advance(0);
    await loop.stop();
    expect(ended).toBe(true);
  });
});
