import { END_OF_TIME_MS } from '../utc-time.ts';

export interface Cadence {
  /** The first due time, set at create or update. */
  anchorMs: number;
  intervalSeconds: number;
  /** When the delivery ended. */
  finishedMs: number;
}

/**
 * The next due time of a repeat reminder: the first instant of anchor + interval × k (k ≥ 1) strictly after the end of
 * the last delivery. Missed slots are skipped, so there is no burst.
 *
 * Times are whole milliseconds, rounded up, so that even an interval of a nanosecond moves forward. An interval longer
 * than the calendar ends at its last instant.
 */
export function nextDueMs({ anchorMs, intervalSeconds, finishedMs }: Cadence): number {
  const interval = intervalSeconds * 1000;
  const earliest = Math.floor(finishedMs) + 1;
  const slots = Math.max(1, Math.floor((finishedMs - anchorMs) / interval));
  if (!Number.isFinite(slots)) return Math.min(earliest, END_OF_TIME_MS);
  for (const k of [slots, slots + 1, slots + 2]) {
    const due = anchorMs + interval * k;
    if (due > finishedMs) return Math.min(Math.ceil(due), END_OF_TIME_MS);
  }
  return Math.min(earliest, END_OF_TIME_MS);
}
