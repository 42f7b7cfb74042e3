import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { clockTime, dayAndTime, isUtcShown, shortTime, showTimesInUtc } from './local-time.ts';

const before = process.env['TZ'];
afterEach(() => {
  showTimesInUtc(false);
  if (before === undefined) delete process.env['TZ'];
  else process.env['TZ'] = before;
});

const AT = '2026-04-16T22:14:02.113Z';

describe('times for people', () => {
  it('times for people are local, across midnight too', () => {
    process.env['TZ'] = 'Europe/Zurich';
    expect([dayAndTime(AT), clockTime(AT)]).toEqual(['2026-04-17 00:14:02', '00:14:02.113']);
    expect(shortTime(AT, new Date('2026-04-17T09:00:00Z'))).toBe('00:14');
    expect(shortTime(AT, new Date('2026-04-16T21:00:00Z'))).toBe('04-17 00:14');
    expect(isUtcShown()).toBe(false);
  });

  it('times for people are marked where they are in UTC: with --utc, or where the local time is UTC', () => {
    process.env['TZ'] = 'Europe/Zurich';
    showTimesInUtc(true);
    expect([dayAndTime(AT), clockTime(AT)]).toEqual(['2026-04-16 22:14:02Z', '22:14:02.113']);
    showTimesInUtc(false);
    process.env['TZ'] = 'UTC';
    expect([dayAndTime(AT), shortTime(AT, new Date(AT))]).toEqual(['2026-04-16 22:14:02Z', '22:14Z']);
    expect([dayAndTime(null), dayAndTime('no time')]).toEqual([null, expect.any(String)]);
  });

  it('a machine east and west of UTC is asked by its own rules', () => {
    const env = { ...process.env, TZ: 'America/New_York' };
    const { stdout } = spawnSync('date', ['-d', AT, '+%F %T'], { env, encoding: 'utf8' });
    process.env['TZ'] = 'America/New_York';
    expect(dayAndTime(AT)).toBe(stdout.trim());
  });
});
