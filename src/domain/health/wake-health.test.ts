import { describe, expect, it } from 'vitest';
import { addWakes, bucketEnd, bucketOf, DURATION_BUCKETS, noWakes } from './wake-health.ts';

describe('durations of wakes', () => {
  it('a duration is in the first bucket whose end it does not exceed', () => {
    for (const seconds of [0, 0.05, 0.1, 0.11, 0.5, 1, 1.01, 42, 3600, 60_000]) {
      const bucket = bucketOf(seconds);
      expect(bucketEnd(bucket) * 1.000001).toBeGreaterThanOrEqual(seconds);
      if (bucket > 0) expect(bucketEnd(bucket - 1)).toBeLessThan(seconds);
    }
    expect(bucketOf(1e9)).toBe(DURATION_BUCKETS - 1);
    expect(bucketOf(-5)).toBe(0);
  });

  it('wakes of several agents are added up', () => {
    const one = noWakes();
    one.steps.decided = 2;
    one.losses['expired'] = 1;
    one.submit[3] = 1;
    const sum = addWakes(addWakes(noWakes(), one), one);
    expect([sum.steps.decided, sum.losses, sum.submit[3]]).toEqual([4, { expired: 2 }, 2]);
  });
});
