import { instantOf, type LocalTime, localTime, ownZone, type Zone, zoneIn } from './zoned-time.ts';

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;

const UNITS: Record<string, number> = { w: 7 * DAY_MS, d: DAY_MS, h: HOUR_MS, m: 60_000, s: 1000 };
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** A time of day that passed less than this ago is that time, and not the same time tomorrow. */
const JUST_PASSED_MS = 15 * 60_000;

/** No provider's window is longer. A later end was read wrongly. */
const LONGEST_MS = 35 * DAY_MS;

/** The windows of these limits are this long, so a time of day further ahead is one that has passed. */
const SHORT_WINDOW = /\b(?:session|5[- ]hours?)\b/i;
const SHORT_WINDOW_MS = 6 * HOUR_MS;

/**
 * When a usage limit ends, from the tool's own words and the time they were first seen; null if they do not state it. It may
 * be in the past: the notice is old. A time without a zone is in the zone of this machine.
 */
export function limitEnd(
  { resets, text = '' }: { resets: string | null; text?: string },
  seenAt: Date,
  own: Zone = ownZone,
): Date | null {
  if (resets === null) return null;
  const zone = zoneIn(resets) ?? own;
  const words = resets.toLowerCase().replace(/\(.*?\)/g, ' ');
  const seenMs = seenAt.getTime();
  const end =
    fromStamp(resets, zone) ??
    fromDate(words, seenMs, zone) ??
    fromClock(words, seenMs, { zone, short: SHORT_WINDOW.test(text) }) ??
    fromSpan(words, seenMs);
  if (end === undefined || Number.isNaN(end) || end - seenMs > LONGEST_MS) return null;
  return new Date(end);
}

/** Whether the words state the end to the second: `1763251440`, `00:24:09`, `5h12m3s`. */
export function statesSeconds(resets: string): boolean {
  return /^\s*1[0-9]{9}|\d:\d\d:\d\d|\d ?s(?:ec|\b)/i.test(resets);
}

/** `2026-11-16T00:24:00Z`, `2026-11-16 00:24`, `1763251440`. */
function fromStamp(text: string, zone: Zone): number | undefined {
  const epoch = /^\s*(1[0-9]{9})(?:\d{3})?\b/.exec(text);
  if (epoch) return Number(epoch[1]) * 1000;
  const found = /\b(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/i.exec(text);
  if (!found) return undefined;
  const [year, month, day, hours, minutes] = found.slice(1, 6).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  if (found[6]) return Date.parse(found[0].replace(' ', 'T'));
  return instantOf({ year, month: month - 1, day, hours, minutes }, zone);
}

/** `nov 16th, 2026 12:24 am`, `dec 1`, `8 aug at 3pm`. */
function fromDate(text: string, seenMs: number, zone: Zone): number | undefined {
  const found =
    /\b(?<month>[a-z]{3})[a-z]*\.? (?<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\d{4}))?\b(?!:)/.exec(text) ??
    /\b(?<day>\d{1,2})(?:st|nd|rd|th)? (?<month>[a-z]{3})[a-z]*(?:,? (?<year>\d{4}))?\b(?!:)/.exec(text);
  const month = MONTHS.indexOf(found?.groups?.['month'] ?? '');
  if (!found || month < 0) return undefined;
  const clock = readClock(text.slice(found.index + found[0].length)) ?? { hours: 0, minutes: 0 };
  const day = Number(found.groups!['day']);
  const at = (year: number): number => instantOf({ year, month, day, ...clock }, zone);
  if (found.groups!['year']) return at(Number(found.groups!['year']));
  const { year } = localTime(seenMs, zone);
  return [year - 1, year, year + 1].map(at).find((end) => end > seenMs - LONGEST_MS);
}

function fromClock(
  text: string,
  seenMs: number,
  { zone, short }: { zone: Zone; short: boolean },
): number | undefined {
  const clock = readClock(text);
  const weekday = DAYS.findIndex((day) => new RegExp(`\\b${day}[a-z]*\\b`).test(text));
  if (!clock && weekday < 0 && !/\bmidnight\b|\btomorrow\b/.test(text)) return undefined;
  const time = clock ?? { hours: 0, minutes: 0 };
  const today = localTime(seenMs, zone);
  const on = (days: number): number => instantOf(daysLater(today, days, time), zone);
  if (weekday >= 0) {
    const { year, month, day } = today;
    const ahead = (weekday - new Date(Date.UTC(year, month, day)).getUTCDay() + 7) % 7;
    return on(ahead) > seenMs ? on(ahead) : on(ahead + 7);
  }
  if (/\btomorrow\b/.test(text)) return on(1);
  const last = [1, 0, -1].map(on).find((end) => end <= seenMs)!;
  const next = [0, 1, 2].map(on).find((end) => end > seenMs)!;
  const isPast = seenMs - last < JUST_PASSED_MS || (short && next - seenMs > SHORT_WINDOW_MS);
  return isPast ? last : next;
}

function daysLater(
  { year, month, day }: LocalTime,
  days: number,
  time: { hours: number; minutes: number },
): LocalTime {
  const date = new Date(Date.UTC(year, month, day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate(), ...time };
}

/** `3pm`, `7:30 PM`, `15:05`. */
function readClock(text: string): { hours: number; minutes: number } | undefined {
  const found = /\b(\d{1,2})(?::(\d\d))?(?::\d\d)? ?([ap])\.?m\b|\b(\d{1,2}):(\d\d)\b/.exec(text);
  if (!found) return undefined;
  const hours = Number(found[1] ?? found[4]);
  const minutes = Number(found[2] ?? found[5] ?? 0);
  if (hours > 23 || minutes > 59) return undefined;
  if (!found[3]) return { hours, minutes };
  return { hours: (hours % 12) + (found[3] === 'p' ? 12 : 0), minutes };
}

/** `3 days 4 hours`, `2h 5m`, `5h12m3s`, `an hour`. */
function fromSpan(text: string, seenMs: number): number | undefined {
  let total = 0;
  for (const [, count, unit] of text.replace(/\ban? (?=[wdhms])/g, '1 ').matchAll(/(\d+) ?([wdhms])[a-z]*/g))
    total += Number(count) * UNITS[unit!]!;
  return total > 0 ? seenMs + total : undefined;
}
