import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { END_OF_TIME_MS, parseUtcTime } from '../utc-time.ts';
import { reminderProblems } from './reminder.ts';
import { nextDueMs } from './reminder-cadence.ts';
import {
  compareReminders,
  deliveryState,
  MAX_RANKING,
  rankingAfterAll,
  rankingBeforeAll,
} from './reminder-ranking.ts';

const now = Date.UTC(2026, 3, 16, 12);
const keys = { sequence: '<[Escape]>', ensure_enter: false };

describe('definition', () => {
  it.each([
    [{ mode: 'one_off', prompt: 'x', start_after_seconds: 1 }, []],
    [{ mode: 'repeat', send_keys: keys, deliver_at_utc: '2026-01-01', interval_seconds: 1 }, []],
    [{ mode: 'one_off', start_after_seconds: 1 }, ['set exactly one of prompt or send_keys']],
    [
      { mode: 'one_off', prompt: 'x', send_keys: keys, start_after_seconds: 1 },
      ['set exactly one of prompt or send_keys'],
    ],
    [{ mode: 'one_off', prompt: 'x' }, ['set exactly one of start_after_seconds or deliver_at_utc']],
    [
      { mode: 'one_off', prompt: 'x', start_after_seconds: 1, deliver_at_utc: '2026-01-01' },
      ['set exactly one of start_after_seconds or deliver_at_utc'],
    ],
    [{ mode: 'repeat', prompt: 'x', start_after_seconds: 1 }, ['repeat reminders require interval_seconds']],
    [
      { mode: 'one_off', prompt: 'x', start_after_seconds: 1, interval_seconds: 5 },
      ['one_off reminders must not include interval_seconds'],
    ],
    [
      { mode: 'repeat', prompt: null, interval_seconds: null },
      [
        'set exactly one of prompt or send_keys',
        'set exactly one of start_after_seconds or deliver_at_utc',
        'repeat reminders require interval_seconds',
      ],
    ],
  ] as const)('%j breaks %j', (definition, messages) => {
    expect(reminderProblems(definition).map((problem) => problem.message)).toEqual(messages);
  });
});

describe('selection', () => {
  const reminder = fc.record({
    reminder_id: fc.string({ minLength: 1, maxLength: 4 }),
    ranking: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.maxSafeInteger(), fc.constantFrom(1e300, -1e300)),
    createdMs: fc.integer({ min: 0, max: 5 }),
  });
  const live = fc.uniqueArray(reminder, { selector: (each) => each.reminder_id, minLength: 1 });

  it('the first reminder has the smallest ranking, then is the oldest, then has the smallest id, in any input order', () => {
    fc.assert(
      fc.property(live, (set) => {
        const leader = [...set].sort(compareReminders)[0]!;
        expect([...set].reverse().sort(compareReminders)[0]).toBe(leader);
        for (const other of set) {
          expect(leader.ranking).toBeLessThanOrEqual(other.ranking);
          if (leader.ranking === other.ranking) {
            expect(leader.createdMs).toBeLessThanOrEqual(other.createdMs);
            if (leader.createdMs === other.createdMs)
              expect(leader.reminder_id <= other.reminder_id).toBe(true);
          }
        }
      }),
    );
  });

  it('executing beats overdue beats scheduled', () => {
    expect(deliveryState({ executing: true, nextDueMs: now + 1 }, now)).toBe('executing');
    expect(deliveryState({ executing: false, nextDueMs: now }, now)).toBe('overdue');
    expect(deliveryState({ executing: false, nextDueMs: now + 1 }, now)).toBe('scheduled');
  });

  it('before-all and after-all are one step outside, 0 for an empty set, and exact for every number', () => {
    expect([rankingBeforeAll([]), rankingAfterAll([])]).toEqual([0, 0]);
    expect([rankingBeforeAll([-10, 3]), rankingAfterAll([-10, 3])]).toEqual([-11, 4]);
    expect([rankingBeforeAll([1]), rankingAfterAll([-1])]).toEqual([0, 0]);
    expect(Object.is(rankingBeforeAll([1]), 0)).toBe(true);
    expect(() => rankingAfterAll([MAX_RANKING])).toThrow(/outermost/);
    expect(() => rankingBeforeAll([-MAX_RANKING])).toThrow(/outermost/);
    const ranking = fc.integer({ min: 1 - MAX_RANKING, max: MAX_RANKING - 1 });
    fc.assert(
      fc.property(fc.array(ranking, { minLength: 1 }), (rankings) => {
        expect(rankingBeforeAll(rankings)).toBe(Math.min(...rankings) - 1);
        expect(rankingAfterAll(rankings)).toBe(Math.max(...rankings) + 1);
      }),
    );
  });
});

describe('cadence', () => {
  it.each([
    ['finished at once', 0, 0, 300],
    ['finished just before the next slot', 0, 299.999, 300],
    ['finished on a slot: the slot itself has passed', 0, 300, 600],
    ['busy over many slots: one delivery, not seven', 0, 2150, 2400],
    ['delivered early (clock set back)', 0, -1000, 300],
  ])('%s', (_title, anchor, finished, expected) => {
    const due = nextDueMs({
      anchorMs: now + anchor * 1000,
      intervalSeconds: 300,
      finishedMs: now + finished * 1000,
    });
    expect(due).toBe(now + expected * 1000);
  });

  it('the next due time is strictly after the end, on the anchored grid, and skips only missed slots', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 0, max: 1_000_000_000 }),
        (anchorOffset, intervalMs, ran) => {
          const anchorMs = now + anchorOffset;
          const finishedMs = anchorMs + ran;
          const due = nextDueMs({ anchorMs, intervalSeconds: intervalMs / 1000, finishedMs });
          expect(due).toBeGreaterThan(finishedMs);
          expect(due - finishedMs).toBeLessThanOrEqual(intervalMs + 1);
          const drift = (due - anchorMs) % intervalMs;
          expect(Math.min(drift, intervalMs - drift)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('no interval, however huge or tiny, yields NaN, Infinity, a standstill or an unwritable date', () => {
    const seconds = fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true });
    const anchor = fc.oneof(
      fc.integer({ min: -62_135_596_800_000, max: END_OF_TIME_MS }),
      fc.integer({ min: -1000, max: 1000 }).map((offset) => now + offset),
    );
    fc.assert(
      fc.property(
        seconds,
        anchor,
        fc.double({ min: 0, max: 4e12, noNaN: true }),
        (intervalSeconds, anchorMs, ran) => {
          const finishedMs = Math.min(anchorMs + ran, END_OF_TIME_MS - 1);
          const due = nextDueMs({ anchorMs, intervalSeconds, finishedMs });
          expect(Number.isInteger(due)).toBe(true);
          expect(due).toBeGreaterThan(finishedMs);
          expect(() => new Date(due).toISOString()).not.toThrow();
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('time', () => {
  it.each([
    ['2026-04-16T12:00:00Z', now],
    ['2026-04-16T12:00:00', now],
    ['2026-04-16 12:00', now],
    ['2026-04-16t12:00:00.000z', now],
    ['2026-04-16T14:00:00+02:00', now],
    ['2026-04-16T06:30:00-0530', now],
    ['2026-04-16T13:00:00+01', now],
    ['2026-04-16T12:00:00.123456+00:00', now + 123],
    ['2026-04-16', Date.UTC(2026, 3, 16)],
    ['0001-01-01T00:00:00Z', -62_135_596_800_000],
  ])('%s is an instant, in UTC when no offset says otherwise', (text, ms) => {
    expect(parseUtcTime(text)).toBe(ms);
  });

  it.each([
    '',
    'now',
    '2026-02-30T00:00:00Z',
    '2026-13-01',
    '2026-00-10',
    '2026-04-16T24:00:00Z',
    '2026-04-16T12:60:00Z',
    '2026-04-16T12:00:61Z',
    '2026-04-16T12',
    '0000-01-01',
    '+012026-01-01',
    '1776340800',
    '2026-04-16T12:00:00+25:00',
    '2026-04-16T12:00:00Z; rm',
    '16/04/2026',
  ])('%j is not', (text) => {
    expect(parseUtcTime(text)).toBeUndefined();
  });

  it('every instant that can be written is read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: END_OF_TIME_MS }), (ms) => {
        expect(parseUtcTime(new Date(ms).toISOString())).toBe(ms);
      }),
    );
  });
});
