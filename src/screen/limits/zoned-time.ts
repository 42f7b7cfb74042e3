/** A date and time of day as a clock in some zone shows it. */
export interface LocalTime {
  year: number;
  /** From 0. */
  month: number;
  day: number;
  hours: number;
  minutes: number;
}

const HOUR_MS = 3600_000;

/** Abbreviations that tools print. Those with two meanings in the world have the one of the United States. */
const ABBREVIATIONS: Record<string, number> = {
  utc: 0,
  gmt: 0,
  z: 0,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  cet: 1,
  cest: 2,
  bst: 1,
};

const NAMED = /\b([a-z]+(?:\/[a-z_+-]+[0-9]*)+)\b/i;
const SHIFTED = /\b(?:utc|gmt)([+-])(\d{1,2})(?::?(\d\d))?\b/i;
const SHORT = new RegExp(`\\b(${Object.keys(ABBREVIATIONS).join('|')})\\b`, 'i');

/** The offset from UTC at an instant, in milliseconds. */
export type Zone = (atMs: number) => number;

/** The zone that a text names; undefined if it names none that is known. */
export function zoneIn(text: string): Zone | undefined {
  const named = NAMED.exec(text)?.[1];
  if (named !== undefined && isZone(named)) return zoneOf(named);
  const shifted = SHIFTED.exec(text);
  if (shifted) {
    const ms = (Number(shifted[2]) + Number(shifted[3] ?? 0) / 60) * HOUR_MS;
    return () => (shifted[1] === '-' ? -ms : ms);
  }
  const short = SHORT.exec(text)?.[1]?.toLowerCase();
  return short === undefined ? undefined : () => ABBREVIATIONS[short]! * HOUR_MS;
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The zone of this name (`Europe/Berlin`). */
export function zoneOf(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (atMs) => {
    const part = Object.fromEntries(
      format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]),
    );
    const local = Date.UTC(
      part['year']!,
      part['month']! - 1,
      part['day'],
      part['hour'],
      part['minute'],
      part['second'],
    );
    return local - Math.floor(atMs / 1000) * 1000;
  };
}

/** The zone of this machine. */
export const ownZone: Zone = (atMs) => -new Date(atMs).getTimezoneOffset() * 60_000;

export function localTime(atMs: number, zone: Zone): LocalTime {
  const shown = new Date(atMs + zone(atMs));
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth(),
    day: shown.getUTCDate(),
    hours: shown.getUTCHours(),
    minutes: shown.getUTCMinutes(),
  };
}

/**
 * When a clock in the zone shows this time. Of two such instants, and around a time that daylight saving skips, the later one.
 */
export function instantOf({ year, month, day, hours, minutes }: LocalTime, zone: Zone): number {
  const shown = Date.UTC(year, month, day, hours, minutes);
  const possible = [shown - 24 * HOUR_MS, shown + 24 * HOUR_MS].map((around) => shown - zone(around));
  const right = possible.filter((atMs) => atMs + zone(atMs) === shown);
  return Math.max(...(right.length > 0 ? right : possible));
}
