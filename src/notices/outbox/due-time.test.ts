import { describe, expect, it } from 'vitest';
import { againDueMs, firstDueMs, retryAfterMs } from './due-time.ts';

const night = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' };
const at = (utc: string): number => Date.parse(utc);
const first = (
  openedUtc: string,
  nowUtc: string,
  quiet_hours: typeof night | null,
  after_seconds = 60,
): string =>
  new Date(
    firstDueMs({ after_seconds, quiet_hours }, { kind: 'dialog', opened_at_ms: at(openedUtc) }, at(nowUtc)),
  ).toISOString();

describe('when a notice is due', () => {
  it('a notice is due once its need has lasted', () => {
    expect(first('2026-01-10T12:00:00Z', '2026-01-10T12:00:10Z', null)).toBe('2026-01-10T12:01:00.000Z');
    expect(first('2026-01-10T12:00:00Z', '2026-01-10T12:05:00Z', null)).toBe('2026-01-10T12:05:00.000Z');
  });

  it('a passing need must last two seconds, whatever the subscription says', () => {
    const settings = { after_seconds: 0, quiet_hours: null };
    const due = firstDueMs(settings, { kind: 'other', opened_at_ms: 1000 }, 1000);
    expect(due).toBe(3000);
  });

  it('a notice of the night comes in the morning of the zone, on both sides of daylight saving', () => {
    expect(first('2026-03-27T23:00:00Z', '2026-03-27T23:02:00Z', night)).toBe('2026-03-28T06:00:00.000Z');
    expect(first('2026-03-28T23:00:00Z', '2026-03-28T23:02:00Z', night)).toBe('2026-03-29T05:00:00.000Z');
    expect(first('2026-10-24T23:00:00Z', '2026-10-24T23:02:00Z', night)).toBe('2026-10-25T06:00:00.000Z');
  });

  it('a need that is about to become due in the quiet hours waits for their end', () => {
    expect(first('2026-01-10T20:59:30Z', '2026-01-10T20:59:30Z', night)).toBe('2026-01-11T06:00:00.000Z');
  });

  it('a repeat that falls into the quiet hours waits for their end', () => {
    const again = againDueMs({ repeat_seconds: 3600, quiet_hours: night }, at('2026-01-10T20:30:00Z'), 0);
    expect(new Date(again!).toISOString()).toBe('2026-01-11T06:00:00.000Z');
    expect(againDueMs({ repeat_seconds: null, quiet_hours: night }, 0, 0)).toBeNull();
  });

  it('pauses after failures grow up to an hour', () => {
    expect([1, 2, 3, 100].map(retryAfterMs)).toEqual([5000, 10_000, 20_000, 3_600_000]);
  });
});
