import type { PageLane, PageLanes } from '../../wire/index.ts';
import { dayOf, lengthInWords, timeOfDay } from '../model/clock.ts';
import { plain } from '../model/plain.ts';

export type Look = PageLanes['looks'][number];
type State = Look['state'];

/** The time that is drawn, and how wide. */
export interface LaneScale {
  fromMs: number;
  toMs: number;
  width: number;
}

/** A span in time, the last one up to now. */
export interface TimedSpan extends Look {
  fromMs: number;
  toMs: number;
}

/** The last span lasts until `nowMs` while the lane is live. */
export function spansOf(lane: PageLane, { from_utc, cell_ms, looks }: PageLanes, endMs: number): TimedSpan[] {
  const from = Date.parse(from_utc);
  return lane.spans.map(([cell, cells, look], at) => ({
    ...looks[look]!,
    fromMs: from + cell * cell_ms,
    toMs: at === lane.spans.length - 1 ? endMs : from + (cell + cells) * cell_ms,
  }));
}

/** How long the agent was in each state. */
export function timeIn(spans: readonly TimedSpan[]): Map<State, number> {
  const sums = new Map<State, number>();
  for (const { state, fromMs, toMs } of spans) sums.set(state, (sums.get(state) ?? 0) + toMs - fromMs);
  return sums;
}

export const totalOf = (marks: PageLane['wakes']): number => marks.reduce((sum, [, n]) => sum + n, 0);

const MARKS = [
  ['wakes', 'wake', 'wakes'],
  ['mail', 'mail', 'mails'],
  ['requests', 'request', 'requests'],
] as const;

/** "working, 14:02 to 14:31 (29 min) · 2 wakes" */
export function sentenceAt(
  lane: PageLane,
  spans: readonly TimedSpan[],
  { from_utc, cell_ms }: PageLanes,
  ms: number,
): string {
  const span = spans.find(({ fromMs, toMs }) => ms >= fromMs && ms < toMs);
  const cell = Math.floor((ms - Date.parse(from_utc)) / cell_ms);
  const marks = MARKS.flatMap(([of, one, more]) => {
    const near = lane[of].filter(([at]) => Math.abs(at - cell) <= 1).reduce((sum, [, n]) => sum + n, 0);
    return near === 0 ? [] : [`${near} ${near === 1 ? one : more}`];
  });
  const what = span
    ? `${plain(span.words)}, ${clock(span.fromMs)} to ${clock(span.toMs)} (${lengthInWords(span.toMs - span.fromMs)})`
    : `nothing known at ${clock(ms)}`;
  return [`${plain(lane.name)}: ${what}`, ...marks].join(' · ');
}

export const clock = (ms: number): string => timeOfDay(ms).slice(0, 5);

const STEPS_MIN = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440];
/** Two labels need this much room. */
const LABEL_PX = 64;

/** Round times for the axis, in local time. */
export function ticksOf({ fromMs, toMs, width }: LaneScale): { ms: number; label: string }[] {
  const max = Math.max(2, Math.floor(width / LABEL_PX));
  const minutes = (toMs - fromMs) / 60_000;
  const step = (STEPS_MIN.find((each) => minutes / each <= max) ?? 1440) * 60_000;
  const offset = new Date(fromMs).getTimezoneOffset() * 60_000;
  const first = Math.ceil((fromMs - offset) / step) * step + offset;
  const ticks: { ms: number; label: string }[] = [];
  for (let ms = first; ms <= toMs; ms += step) {
    const isMidnight = clock(ms) === '00:00';
    ticks.push({ ms, label: isMidnight ? dayOf(new Date(ms).toISOString()).slice(0, 3) : clock(ms) });
  }
  return ticks;
}
