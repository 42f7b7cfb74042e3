import type { QuietHours } from './wake-settings.ts';

const MINUTE_MS = 60_000;

/** When the current quiet hours end, in wall milliseconds; null if it is not quiet now. */
export function quietUntilMs({ from, to, time_zone }: QuietHours, nowMs: number): number | null {
  const start = minutes(from);
  const end = minutes(to);
  const isQuiet = (at: number): boolean => (start <= end ? at >= start && at < end : at >= start || at < end);
  if (!isQuiet(localMinutes(nowMs, time_zone))) return null;
  // Walks minute by minute in local time, so that daylight saving moves the end.
  let at = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  do at += MINUTE_MS;
  while (isQuiet(localMinutes(at, time_zone)));
  return at;
}

function minutes(text: string): number {
  const [hour, minute] = text.split(':').map(Number);
  return hour! * 60 + minute!;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function localMinutes(atMs: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(timeZone, format);
  }
  return minutes(format.format(new Date(atMs)));
}
