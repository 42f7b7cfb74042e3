import type { AgentPause } from '../agent-pause.ts';

/** Times for people. All are UTC, so that two terminals agree. */

/** `09:14:02.113` of an ISO timestamp. */
export function clockTime(stamp: string): string {
  return stamp.slice(11, 23).replace(/Z$/, '');
}

/** `2026-04-16 09:14:02Z`. */
export function dayAndTime(stamp: string | null | undefined): string | null {
  return stamp ? `${stamp.slice(0, 10)} ${stamp.slice(11, 19)}Z` : null;
}

const UNITS: [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** `2 h 5 min`, `42 s`, `340 ms`: the two largest units that are not zero. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const words: string[] = [];
  let rest = Math.round(ms / 1000) * 1000;
  for (const [size, unit] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) words.push(`${count} ${unit}`);
    else if (words.length > 0) break;
    if (words.length === 2) break;
  }
  return words.join(' ');
}

/** `until 2026-04-16 08:00:00Z`, `until someone resumes it`. `shown` writes the time, by default in UTC. */
export const pausedWords = (
  { until_utc }: AgentPause,
  shown: (stamp: string | null) => string | null = dayAndTime,
): string => `until ${shown(until_utc) ?? 'someone resumes it'}`;

/** `in 4 min 12 s`, `3 s ago`, `now`. */
export function fromNow(stamp: string, nowMs: number): string {
  const left = Date.parse(stamp) - nowMs;
  if (Math.abs(left) < 1000) return 'now';
  return left > 0 ? `in ${duration(left)}` : `${duration(-left)} ago`;
}
