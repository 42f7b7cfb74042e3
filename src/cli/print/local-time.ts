import { clockTime as clockUtc, dayAndTime as dayUtc } from '../../domain/index.ts';

/** Times for people are local, unless the line has --utc. Set once for each line. */
let inUtc = false;

export function showTimesInUtc(utc: boolean): void {
  inUtc = utc;
}

/** Where the local time is UTC, it is marked as such. */
export const isUtcShown = (): boolean => inUtc || new Date().getTimezoneOffset() === 0;

/** `2026-04-16 11:14:02`, or `2026-04-16 09:14:02Z` in UTC. */
export function dayAndTime(stamp: string | null | undefined): string | null {
  const local = stamp ? localOf(stamp) : undefined;
  return local === undefined ? dayUtc(stamp) : local.slice(0, 19);
}

/** `11:14:02.113`; in UTC the same without a mark, because the day beside it has one. */
export function clockTime(stamp: string): string {
  return localOf(stamp)?.slice(11) ?? clockUtc(stamp);
}

/** `11:14`, with its date if it is not today; `09:14Z` in UTC. */
export function shortTime(stamp: string, now: Date): string {
  const mark = isUtcShown() ? 'Z' : '';
  const shown = (at: string): string => localOf(at) ?? at.replace('T', ' ');
  const day = shown(stamp).slice(0, 10);
  const today = shown(now.toISOString()).slice(0, 10);
  return `${day === today ? '' : `${day.slice(5)} `}${shown(stamp).slice(11, 16)}${mark}`;
}

/** `2026-04-16 11:14:02.113` in the zone of this process; undefined in UTC, or if it is no time. */
function localOf(stamp: string): string | undefined {
  const at = new Date(stamp);
  if (inUtc || Number.isNaN(at.getTime()) || at.getTimezoneOffset() === 0) return undefined;
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString();
  return local
    .replace('T', ' ')
    .replace('Z', '')
    .slice(0, stamp.includes('.') ? 23 : 19);
}
