import { invalid, utcStamp } from '../../base/index.ts';
import { parseUtcTime } from '../../domain/index.ts';

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, min: 60_000, s: 1000 } as const;
const PART = /(\d+)\s*(d|h|min|m|s)/g;
const MAX_MS = 366 * UNIT_MS.d;

/** `1h`, `90m`, `1h30m`, `2d`. */
export function durationMs(text: string): number {
  const parts = [...text.matchAll(PART)];
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as 'd'], 0);
  if (parts.map(([part]) => part).join('') !== text.trim() || ms <= 0 || ms > MAX_MS)
    throw invalid('must be a time such as 30m, 1h, 1h30m or 2d, at most 366d');
  return ms;
}

const OF_DAY = /^(\d{1,2}):(\d{2})$/;

/** `08:00`: the next one, in the zone of this process. Or an ISO-8601 time to come. */
export function timeToCome(text: string, now = new Date()): string {
  const [, hours, minutes] = OF_DAY.exec(text) ?? [];
  if (hours !== undefined && Number(hours) < 24 && Number(minutes) < 60) {
    const at = new Date(now);
    at.setHours(Number(hours), Number(minutes), 0, 0);
    // The day may have 23 or 25 hours.
    if (at <= now) at.setDate(at.getDate() + 1);
    return utcStamp(at);
  }
  const ms = parseUtcTime(text);
  if (ms === undefined)
    throw invalid('must be a time of day such as 08:00, or a time such as 2026-04-16T08:00Z');
  if (ms <= now.getTime()) throw invalid(`${text} has passed; name a time to come`);
  return utcStamp(new Date(ms));
}
