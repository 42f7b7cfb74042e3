import { clockTime as clockUtc, dayAndTime as dayUtc } from '../../domain/index.ts';
import { areTimesInUtc } from './output-terminal.ts';

type OffsetOf = (at: Date) => number;

/** Minutes from local time to UTC. */
const localOffset: OffsetOf = (at) => at.getTimezoneOffset();

/** Where the local time is UTC, it is marked as such. */
export const isUtcShown = (): boolean => areTimesInUtc() || new Date().getTimezoneOffset() === 0;

/** For the title of times that have no mark of their own: ` (UTC)` where they are in UTC. */
export const utcMark = (): string => (isUtcShown() ? ' (UTC)' : '');

/** `2026-04-16 11:14:02`, or `2026-04-16 09:14:02Z` in UTC. */
export function dayAndTime(stamp: string | null | undefined, offsetOf = localOffset): string | null {
  const local = stamp ? localOf(stamp, offsetOf) : undefined;
  return local === undefined ? dayUtc(stamp) : local.slice(0, 19);
}

/** `11:14:02.113`; in UTC the same without a mark, because the day beside it has one. */
export function clockTime(stamp: string, offsetOf = localOffset): string {
  return localOf(stamp, offsetOf)?.slice(11) ?? clockUtc(stamp);
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
function localOf(stamp: string, offsetOf = localOffset): string | undefined {
  const at = new Date(stamp);
  if (areTimesInUtc() || Number.isNaN(at.getTime()) || offsetOf(at) === 0) return undefined;
  const local = new Date(at.getTime() - offsetOf(at) * 60_000).toISOString();
  return local
    .replace('T', ' ')
    .replace('Z', '')
    .slice(0, stamp.includes('.') ? 23 : 19);
}
