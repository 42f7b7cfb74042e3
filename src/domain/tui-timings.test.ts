import { expect, it } from 'vitest';
import { resolveTimings, TUI_TIMING_FIELDS, TUI_TIMING_RULES } from './tui-timings.ts';

it('the six timings, their flags and their defaults are those of the contract', () => {
  expect(TUI_TIMING_RULES.map((rule) => [`--${rule.attachFlag}`, rule.defaultSeconds])).toEqual([
    ['--gateway-tui-watch-poll-interval-seconds', 0.5],
    ['--gateway-tui-stability-threshold-seconds', 1],
    ['--gateway-tui-completion-stability-seconds', 1],
    ['--gateway-tui-unknown-to-stalled-timeout-seconds', 30],
    ['--gateway-tui-stale-active-recovery-seconds', 5],
    ['--gateway-tui-final-stable-active-recovery-seconds', 20],
  ]);
  expect(TUI_TIMING_RULES[4]!.processFlag).toBe('tui-stale-active-recovery-seconds');
  expect(Object.keys(resolveTimings({}).timings)).toEqual(TUI_TIMING_FIELDS);
});

it('for each timing separately, explicit wins over persisted, and persisted over the default', () => {
  const { timings, origins } = resolveTimings(
    { stale_active_recovery_seconds: 10, stability_threshold_seconds: null },
    { stale_active_recovery_seconds: 7, stability_threshold_seconds: 2, watch_poll_interval_seconds: null },
  );
  expect(timings).toEqual({
    ...resolveTimings({}).timings,
    stale_active_recovery_seconds: 10,
    stability_threshold_seconds: 2,
  });
  expect([origins.stale_active_recovery_seconds, origins.stability_threshold_seconds]).toEqual([
    'explicit',
    'persisted',
  ]);
  expect(origins.watch_poll_interval_seconds).toBe('default');
});

it.each([
  [0, /must be > 0/],
  [-0, /must be > 0/],
  [-1, /must be > 0/],
  [Number.POSITIVE_INFINITY, /must be finite/],
  [Number.NaN, /must be a number of seconds/],
  [true as never, /must be a number of seconds/],
  ['5' as never, /must be a number of seconds/],
])('%s is refused as a timing', (value, message) => {
  for (const field of TUI_TIMING_FIELDS) {
    expect(() => resolveTimings({ [field]: value })).toThrow(message);
    expect(() => resolveTimings({ [field]: value })).toThrow(`--gateway-tui-${field.replaceAll('_', '-')}`);
    expect(() => resolveTimings({}, { [field]: value })).toThrow(`desired_tui_tracking_timings.${field}`);
  }
});

it('a bad persisted value does no harm if the action has its own', () => {
  expect(
    resolveTimings({ stability_threshold_seconds: 3 }, { stability_threshold_seconds: -1 }).timings,
  ).toMatchObject({
    stability_threshold_seconds: 3,
  });
});
