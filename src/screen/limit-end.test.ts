import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitEnd } from './limit-end.ts';

const seen = new Date(2026, 10, 15, 14, 10, 30);

describe('the end of a usage limit', () => {
  it.each([
    ['3pm', new Date(2026, 10, 15, 15, 0)],
    ['3pm (Europe/Berlin)', new Date(2026, 10, 15, 15, 0)],
    ['12:05am', new Date(2026, 10, 16, 0, 5)],
    ['7:30 PM', new Date(2026, 10, 15, 19, 30)],
    ['2pm', new Date(2026, 10, 16, 14, 0)],
    ['15:05', new Date(2026, 10, 15, 15, 5)],
    ['Nov 16th, 2026 12:24 AM', new Date(2026, 10, 16, 0, 24)],
    ['Dec 1', new Date(2026, 11, 1)],
    ['Jan 3 at 9am', new Date(2027, 0, 3, 9, 0)],
    ['3 days 4 hours', new Date(seen.getTime() + 76 * 3600_000)],
    ['2h 5m', new Date(seen.getTime() + 125 * 60_000)],
    ['at some time', new Date(seen.getTime() + 5 * 3600_000)],
    [null, new Date(seen.getTime() + 5 * 3600_000)],
  ])('the end of a usage limit is read from %j', (resets, end) => {
    expect(limitEnd(resets, seen)).toEqual(end);
  });

  it('the end of a usage limit is a valid time for any words', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (words) => {
        expect(Number.isNaN(limitEnd(words, seen).getTime())).toBe(false);
      }),
    );
  });
});
