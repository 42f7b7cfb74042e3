import { expect, it } from 'vitest';
import type { Reminder } from '../../wire/index.ts';
import { blockedBy, cadence, moved } from './cadence.ts';

const reminder = (over: Partial<Reminder>): Reminder =>
  ({
    reminder_id: 'a',
    title: 'Look at the build',
    mode: 'repeat',
    interval_seconds: null,
    cron: null,
    time_zone: null,
    paused: false,
    blocked_by_reminder_id: null,
    waiting_reason: null,
    ...over,
  }) as Reminder;

it('a schedule names its zone', () => {
  expect(cadence(reminder({ cron: '0 9 * * 1-5', time_zone: 'Europe/Berlin' }))).toBe(
    'on the schedule 0 9 * * 1-5 (Europe/Berlin)',
  );
  expect(cadence(reminder({ cron: '0 9 * * *' }))).toContain('(UTC)');
});

it('a reminder behind a paused one says that it is blocked for good, and one behind another says after which', () => {
  const leader = reminder({ title: 'Check inbox' });
  const next = reminder({ reminder_id: 'b', blocked_by_reminder_id: 'a', waiting_reason: 'behind a' });
  expect(blockedBy(next, [leader, next])).toBe('after “Check inbox”');
  const paused = { ...leader, paused: true };
  expect(blockedBy(next, [paused, next])).toMatch(
    /^blocked for good: “Check inbox” comes first and is paused/,
  );
  expect(blockedBy(leader, [leader])).toBeUndefined();
});

it('a reminder moves by one place, and not beyond the ends', () => {
  expect(moved(['a', 'b', 'c'], 'b', -1)).toEqual(['b', 'a', 'c']);
  expect(moved(['a', 'b', 'c'], 'b', 1)).toEqual(['a', 'c', 'b']);
  expect(moved(['a', 'b', 'c'], 'a', -1)).toBeUndefined();
  expect(moved(['a', 'b', 'c'], 'c', 1)).toBeUndefined();
  expect(moved(['a'], 'x', 1)).toBeUndefined();
});
