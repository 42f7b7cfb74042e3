import { afterEach, describe, expect, it } from 'vitest';
import { clockTime, dayAndTime } from './local-time.ts';
import { showTimesInUtc } from './output-terminal.ts';

afterEach(() => showTimesInUtc(false));

const AT = '2026-04-16T22:14:02.113Z';
const ZURICH = () => -120;
const NEW_YORK = () => 240;

describe('times for people', () => {
  it('times for people are local, across midnight too', () => {
    expect([dayAndTime(AT, ZURICH), clockTime(AT, ZURICH)]).toEqual(['2026-04-17 00:14:02', '00:14:02.113']);
    expect(dayAndTime(AT, NEW_YORK)).toBe('2026-04-16 18:14:02');
  });

  it('times for people are marked where they are in UTC: with --utc, or where the local time is UTC', () => {
    expect(dayAndTime(AT, () => 0)).toBe('2026-04-16 22:14:02Z');
    showTimesInUtc(true);
    expect([dayAndTime(AT, ZURICH), clockTime(AT, ZURICH)]).toEqual(['2026-04-16 22:14:02Z', '22:14:02.113']);
    expect(dayAndTime(null)).toBeNull();
  });
});
