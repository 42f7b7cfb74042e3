/** A notice without an end is believed for this long: the longest of the common short windows. */
const FALLBACK_MS = 5 * 3600_000;

const UNITS: Record<string, number> = { d: 86_400_000, h: 3600_000, m: 60_000, s: 1000 };
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * When a usage limit ends, from the tool's own words and the time they were first seen. A clock time without a date is the
 * next one; words that cannot be read give a fixed wait.
 */
export function limitEnd(resets: string | null, seenAt: Date): Date {
  const text = (resets ?? '').toLowerCase().replace(/\(.*?\)/g, ' ');
  const fallback = new Date(seenAt.getTime() + FALLBACK_MS);
  return fromDate(text, seenAt) ?? fromClock(text, seenAt) ?? fromSpan(text, seenAt) ?? fallback;
}

/** `nov 16th, 2026 12:24 am`, `dec 1`, `aug 8 at 3pm`. */
function fromDate(text: string, seenAt: Date): Date | undefined {
  const found = /\b([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?/.exec(text);
  const month = MONTHS.indexOf(found?.[1] ?? '');
  if (!found || month < 0) return undefined;
  const clock = readClock(text.slice(found.index + found[0].length)) ?? { hours: 0, minutes: 0 };
  const at = (year: number): Date => new Date(year, month, Number(found[2]), clock.hours, clock.minutes);
  if (found[3]) return at(Number(found[3]));
  const thisYear = at(seenAt.getFullYear());
  return thisYear > seenAt ? thisYear : at(seenAt.getFullYear() + 1);
}

function fromClock(text: string, seenAt: Date): Date | undefined {
  const clock = readClock(text);
  if (!clock) return undefined;
  const end = new Date(seenAt);
  end.setHours(clock.hours, clock.minutes, 0, 0);
  if (end <= seenAt) end.setDate(end.getDate() + 1);
  return end;
}

/** `3pm`, `7:30 PM`, `15:05`. */
function readClock(text: string): { hours: number; minutes: number } | undefined {
  const found = /\b(\d{1,2})(?::(\d\d))? ?([ap])\.?m\b|\b(\d{1,2}):(\d\d)\b/.exec(text);
  if (!found) return undefined;
  const hours = Number(found[1] ?? found[4]);
  const minutes = Number(found[2] ?? found[5] ?? 0);
  if (hours > 23 || minutes > 59) return undefined;
  if (!found[3]) return { hours, minutes };
  return { hours: (hours % 12) + (found[3] === 'p' ? 12 : 0), minutes };
}

/** `3 days 4 hours`, `2h 5m`. */
function fromSpan(text: string, seenAt: Date): Date | undefined {
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+) ?([dhms])[a-z]*/g))
    total += Number(count) * (UNITS[unit!] ?? 0);
  return total > 0 ? new Date(seenAt.getTime() + total) : undefined;
}
