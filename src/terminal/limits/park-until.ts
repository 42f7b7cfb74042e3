import { limitEnd, statesSeconds } from '../../screen/index.ts';

/** Pauses between tries while a limit stays: the first, and doubled for each further one. */
const AGAIN_MS = 60_000;
/** The same if the tool never stated an end. */
const UNSTATED_MS = 30 * 60_000;
const MAX_PAUSE_MS = 5 * 3600_000;

/** After this many tries in a row that met the limit again, a person is needed. */
export const MAX_TRIES = 5;

/** A limit as the screen or the tool's records state it. */
export interface LimitSeen {
  text: string;
  /** When it ends, in the tool's words. */
  resets: string | null;
  /** When it ends, if the tool's records have the time itself. */
  untilMs: number | null;
  spent?: boolean | undefined;
  /** It ended a turn. */
  cut?: boolean | undefined;
  /** The tool shows that it will continue by itself. */
  continues?: boolean | undefined;
  source: string;
}

/** The same time of day, around a change of daylight saving. */
const DAY_AGO_MS = { from: 22 * 3600_000, to: 26 * 3600_000 };

/** An earlier hold for the same notice. */
export interface HeldBefore {
  /** How many tries have met the limit again, this one included. */
  tries: number;
  /** The end that it stated. */
  saidMs: number | null;
}

/**
 * Until when nothing is typed for a limit seen now, and the end that it states. A tool that states a time that has just
 * passed, or none, is tried again after growing pauses.
 */
export function parkUntil(
  seen: LimitSeen,
  nowMs: number,
  { tries, saidMs: before }: HeldBefore,
): { untilMs: number; saidMs: number | null } {
  const saidMs = saidBy(seen, nowMs, tries > 0 ? before : null);
  const pause = Math.min((saidMs === null ? UNSTATED_MS : AGAIN_MS) * 2 ** tries, MAX_PAUSE_MS);
  if (saidMs === null) return { untilMs: nowMs + pause, saidMs };
  // Tools leave out the seconds.
  const isRounded = seen.untilMs === null && seen.resets !== null && !statesSeconds(seen.resets);
  const endMs = saidMs + (isRounded ? 60_000 : 0);
  // An end that had passed when it was first seen: the notice is old, or the provider's clock is behind.
  return { untilMs: Math.max(endMs, tries > 0 ? nowMs + pause : nowMs), saidMs };
}

/** A time of day that the tool states again after it has passed is still that time, and not tomorrow's. */
function saidBy(seen: LimitSeen, nowMs: number, before: number | null): number | null {
  if (seen.untilMs !== null) return seen.untilMs;
  const end = limitEnd(seen, new Date(nowMs))?.getTime() ?? null;
  if (end === null || before === null) return end;
  const apart = end - before;
  return apart > DAY_AGO_MS.from && apart < DAY_AGO_MS.to ? before : end;
}
