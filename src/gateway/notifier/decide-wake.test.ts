import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quietUntilMs } from '../../domain/index.ts';
import { decideWake, type WakeFacts } from './decide-wake.ts';

const FACTS: WakeFacts = {
  now_utc: '2026-03-02T12:00:00.000Z',
  trigger: 'interval',
  mode: 'any_inbox',
  repeat: 'every_poll',
  interval_seconds: 60,
  eligible_count: 1,
  digest: 'd1',
  unannounced_count: 0,
  last_notified_digest: 'd1',
  last_notification_at_utc: '2026-03-02T11:59:00.000Z',
  repeats: 0,
  wakes_last_hour: 0,
  wakes_per_hour: null,
  quiet_hours: null,
  request_admission: 'open',
  active_execution: 'idle',
  queue_depth: 0,
  ready: true,
  reasons: [],
};
const outcome = (change: Partial<WakeFacts>): string => decideWake({ ...FACTS, ...change }).outcome;

describe('whether to wake', () => {
  it.each<[string, Partial<WakeFacts>, string]>([
    ['there is no mail', { eligible_count: 0, digest: null }, 'empty'],
    ['every_poll, unchanged mail, the interval has passed', {}, 'enqueued'],
    ['every_poll, unchanged mail, an event', { trigger: 'mail' }, 'dedup_skip'],
    ['every_poll, unchanged mail, the agent became ready', { trigger: 'ready' }, 'dedup_skip'],
    ['new mail, an event', { trigger: 'mail', unannounced_count: 1 }, 'enqueued'],
    ['on_change, unchanged', { repeat: 'on_change' }, 'dedup_skip'],
    [
      'on_change, the last wake did not arrive',
      { repeat: 'on_change', last_notified_digest: null },
      'enqueued',
    ],
    ['backoff, too early', { repeat: 'backoff', repeats: 3 }, 'dedup_skip'],
    [
      'backoff, re-armed',
      { repeat: 'backoff', last_notification_at_utc: '2026-03-02T11:00:00.000Z', repeats: 3 },
      'enqueued',
    ],
    ['the gateway is running something', { active_execution: 'running' }, 'busy_skip'],
    ['requests are queued', { queue_depth: 2 }, 'busy_skip'],
    ['admission is closed', { request_admission: 'blocked_unavailable' }, 'busy_skip'],
    ['a dialog is open', { ready: false, reasons: ["dialog='permission'"] }, 'busy_skip'],
    ['the hourly budget is used up', { wakes_per_hour: 2, wakes_last_hour: 2 }, 'busy_skip'],
    ['it is quiet', { quiet_hours: { from: '12:00', to: '13:00', time_zone: 'UTC' } }, 'busy_skip'],
  ])('the decision when %s', (_when, change, expected) => {
    expect(outcome(change)).toBe(expected);
  });

  it('a wake held by the hourly budget has the time when it is free again', () => {
    const budget_free_at_utc = '2026-03-02T12:20:00.000Z';
    const used = { ...FACTS, wakes_per_hour: 2, wakes_last_hour: 12, budget_free_at_utc } as WakeFacts;
    expect(decideWake(used)).toMatchObject({ outcome: 'busy_skip', look_again_utc: budget_free_at_utc });
  });

  it('the notifier never wakes into anything but a free gateway and a ready agent, whatever the rest says', () => {
    const facts = fc.record({
      trigger: fc.constantFrom('interval', 'mail', 'ready', 'start'),
      repeat: fc.constantFrom('every_poll', 'on_change', 'backoff'),
      eligible_count: fc.nat(5),
      unannounced_count: fc.nat(5),
      repeats: fc.nat(40),
      wakes_last_hour: fc.nat(5),
      wakes_per_hour: fc.option(fc.nat(5)),
      request_admission: fc.constantFrom('open', 'blocked_unavailable', 'blocked_reconciliation'),
      active_execution: fc.constantFrom('idle', 'running'),
      queue_depth: fc.nat(2),
      ready: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, (change) => {
        const all = { ...FACTS, ...change } as WakeFacts;
        if (decideWake(all).outcome !== 'enqueued') return;
        expect([all.request_admission, all.active_execution, all.queue_depth, all.ready]).toEqual([
          'open',
          'idle',
          0,
          true,
        ]);
        expect(all.eligible_count).toBeGreaterThan(0);
      }),
    );
  });
});

describe('quiet hours', () => {
  const night = { from: '22:00', to: '07:00', time_zone: 'Europe/Zurich' };
  const until = (utc: string): string | null => {
    const end = quietUntilMs(night, Date.parse(utc));
    return end === null ? null : new Date(end).toISOString();
  };

  it('quiet hours pass midnight and end at the local time', () => {
    expect(until('2026-01-10T12:00:00Z')).toBeNull();
    expect(until('2026-01-10T21:30:00Z')).toBe('2026-01-11T06:00:00.000Z');
    expect(until('2026-01-11T05:59:59Z')).toBe('2026-01-11T06:00:00.000Z');
    expect(until('2026-01-11T06:00:00Z')).toBeNull();
  });

  it('quiet hours follow daylight saving that begins or ends during the night', () => {
    expect(until('2026-03-28T22:00:00Z')).toBe('2026-03-29T05:00:00.000Z');
    expect(until('2026-10-24T21:00:00Z')).toBe('2026-10-25T06:00:00.000Z');
  });
});
