import { describe, expect, it } from 'vitest';
import { shownDate, shownTime } from './shown-time.ts';

const NOW = new Date('2026-11-18T22:30:00Z');
const shown = (stamp: string, timeZone: string): string => shownTime(stamp, { utc: false, timeZone }, NOW);

describe('a time for people', () => {
  it('a time for people is the time of day today, with a weekday this week, with its day this year, else with its date', () => {
    expect(shown('2026-11-18T14:02:09Z', 'UTC')).toBe('14:02');
    expect(shown('2026-11-17T00:02:09Z', 'UTC')).toBe('Tue 00:02');
    expect(shown('2026-09-03T04:02:09Z', 'UTC')).toBe('3 Sep 04:02');
    expect(shown('2025-11-07T14:02:09Z', 'UTC')).toBe('2025-11-07 14:02');
  });

  it('a time for people is local, and decides what today is by the local day', () => {
    expect(shown('2026-11-18T14:02:09Z', 'Asia/Tokyo')).toBe('Wed 23:02');
    expect(shown('2026-11-18T15:02:09Z', 'Asia/Tokyo')).toBe('00:02');
    expect(shown('2026-11-03T04:02:09Z', 'America/New_York')).toBe('2 Nov 23:02');
  });

  it('follows the daylight saving that was in force at that time', () => {
    expect(shown('2026-07-01T12:00:00Z', 'Europe/Berlin')).toBe('1 Jul 14:00');
    expect(shown('2026-11-01T12:00:00Z', 'Europe/Berlin')).toBe('1 Nov 13:00');
  });

  it('a time for people is UTC and says so if that is wanted', () => {
    const utc = { utc: true, timeZone: 'Asia/Tokyo' };
    expect(shownTime('2026-11-18T14:02:09Z', utc, NOW)).toBe('14:02Z');
    expect(shownDate('2026-11-18T14:02:09Z', utc)).toBe('2026-11-18 14:02Z');
    expect(shownDate('2026-11-18T14:02:09Z', { ...utc, utc: false })).toBe('2026-11-18 23:02');
  });

  it('in the future has its day, and text that is no time is shown as it is', () => {
    expect(shown('2026-11-20T14:02:09Z', 'UTC')).toBe('20 Nov 14:02');
    expect(shown('soon', 'UTC')).toBe('soon');
  });
});
