import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitEnd } from './limit-end.ts';
import { instantOf, localTime, zoneIn, zoneOf } from './zoned-time.ts';

const BERLIN = zoneOf('Europe/Berlin');
const NEW_YORK = zoneOf('America/New_York');
const seen = new Date('2026-11-15T14:10:30Z');
const end = (resets: string | null, at = seen, own = zoneOf('UTC')): string | undefined =>
  limitEnd({ resets }, at, own)?.toISOString().replace(':00.000Z', 'Z');

describe('the end of a usage limit', () => {
  it.each([
    ['3pm', '2026-11-15T15:00Z'],
    ['3pm (Europe/Berlin)', '2026-11-15T14:00Z'],
    ['4pm (Europe/Berlin)', '2026-11-15T15:00Z'],
    ['3am (America/Los_Angeles)', '2026-11-16T11:00Z'],
    ['12:24 AM PST', '2026-11-16T08:24Z'],
    ['9:30am UTC+2', '2026-11-16T07:30Z'],
    ['9:30am GMT-05:30', '2026-11-15T15:00Z'],
    ['12:05am', '2026-11-16T00:05Z'],
    ['7:30 PM', '2026-11-15T19:30Z'],
    ['1pm', '2026-11-16T13:00Z'],
    ['2pm', '2026-11-15T14:00Z'],
    ['15:05', '2026-11-15T15:05Z'],
    ['midnight', '2026-11-16T00:00Z'],
    ['tomorrow at 9am', '2026-11-16T09:00Z'],
    ['Mon 3pm', '2026-11-16T15:00Z'],
    ['Sunday at 3:00 PM', '2026-11-15T15:00Z'],
    ['Sunday at 1:00 PM', '2026-11-22T13:00Z'],
    ['Nov 16th, 2026 12:24 AM', '2026-11-16T00:24Z'],
    ['16 Nov at 12:24', '2026-11-16T12:24Z'],
    ['Dec 1', '2026-12-01T00:00Z'],
    ['Nov 14 at 9am', '2026-11-14T09:00Z'],
    ['2026-11-16T00:24:00Z', '2026-11-16T00:24Z'],
    ['2026-11-16 00:24', '2026-11-16T00:24Z'],
    ['1794875040', '2026-11-17T00:24Z'],
    ['3 days 4 hours', '2026-11-18T18:10:30.000Z'],
    ['2h 5m', '2026-11-15T16:15:30.000Z'],
    ['5h12m3s', '2026-11-15T19:22:33.000Z'],
    ['an hour', '2026-11-15T15:10:30.000Z'],
    ['at some time', undefined],
    ['in 40 days', undefined],
    [null, undefined],
  ])('the end of a usage limit is read from %j', (resets, at) => {
    expect(end(resets)).toBe(at);
  });

  it('the end of a usage limit over new year is in the next year', () => {
    expect(end('Jan 3 at 9am', new Date('2026-12-30T12:00:00Z'))).toBe('2027-01-03T09:00Z');
  });

  it('a time of day that a short window cannot reach has passed', () => {
    const text = "You've hit your session limit";
    const at = (resets: string): string | undefined =>
      limitEnd({ resets, text }, seen, zoneOf('UTC'))?.toISOString();
    expect(at('7pm')).toBe('2026-11-15T19:00:00.000Z');
    expect(at('1pm')).toBe('2026-11-15T13:00:00.000Z');
  });

  it('the end of a usage limit follows daylight saving, and is the later of two', () => {
    const before = new Date('2026-10-24T20:00:00Z');
    expect(end('2:30am', before, BERLIN)).toBe('2026-10-25T01:30Z');
    expect(end('8am', before, BERLIN)).toBe('2026-10-25T07:00Z');
    expect(end('2:30am', new Date('2026-03-28T20:00:00Z'), BERLIN)).toBe('2026-03-29T01:30Z');
    expect(end('1:30am (America/New_York)', new Date('2026-11-01T00:00:00Z'))).toBe('2026-11-01T06:30Z');
  });

  it('the end of a usage limit is a valid time or none for any words', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (words) => {
        const time = limitEnd({ resets: words }, seen)?.getTime() ?? 0;
        expect(Number.isNaN(time)).toBe(false);
      }),
    );
  });
});

describe('a zone', () => {
  it('an instant survives a round trip through any zone, except the first of two equal times', () => {
    const zones = [BERLIN, NEW_YORK, zoneOf('Asia/Kolkata'), zoneOf('Australia/Lord_Howe'), zoneIn('PST')!];
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 525_600 * 3 }), fc.constantFrom(...zones), (minute, zone) => {
        const at = Date.UTC(2026, 0, 1) + minute * 60_000;
        const back = instantOf(localTime(at, zone), zone);
        expect(back - at >= 0 && back - at <= 3600_000).toBe(true);
        expect(localTime(back, zone)).toEqual(localTime(at, zone));
      }),
    );
  });

  it('a zone is only read from a name that exists', () => {
    expect(zoneIn('3pm (Mars/Phobos)')).toBeUndefined();
    expect(zoneIn('in 3 days')).toBeUndefined();
    expect(zoneIn('3pm (Europe/Berlin)')!(Date.UTC(2026, 6, 1))).toBe(7200_000);
  });
});
