import { describe, expect, it } from 'vitest';
import { readTimings } from './read-timings.ts';

describe('timings', () => {
  it('timings are read by field or by flag, as numbers or as text, and have defaults', () => {
    expect(
      readTimings({ stability_threshold_seconds: 2, 'tui-watch-poll-interval-seconds': '0.25' }),
    ).toMatchObject({
      stability_threshold_seconds: 2,
      watch_poll_interval_seconds: 0.25,
      completion_stability_seconds: 1,
    });
  });

  it.each(['0', '-1', 'soon', 'Infinity', ''])('the timing %j is refused', (value) => {
    expect(() => readTimings({ 'tui-stability-threshold-seconds': value })).toThrow(/stability-threshold/);
  });
});
