/** Where times for people are. */
export interface Zone {
  /** UTC instead of local time. */
  utc: boolean;
  /** Default: the zone of this process. */
  timeZone?: string;
}

const WEEK_MS = 6 * 86_400_000;

/** `date` is `2026-11-03`, `clock` is `14:02`, or `14:02Z` in UTC. */
function parts(
  at: Date,
  { utc, timeZone }: Zone,
): Record<'date' | 'clock' | 'weekday' | 'day' | 'year', string> {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: utc ? 'UTC' : timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    weekday: 'short',
  });
  const found = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const { year = '', month = '', day = '', weekday = '', hour, minute } = found;
  const number = String(MONTHS.indexOf(month.slice(0, 3)) + 1).padStart(2, '0');
  return {
    date: `${year}-${number}-${day.padStart(2, '0')}`,
    clock: `${hour}:${minute}${utc ? 'Z' : ''}`,
    weekday,
    day: `${day} ${month.slice(0, 3)}`,
    year,
  };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A time for people, as short as is clear: `14:02`, `Tue 14:02`, `3 Nov 14:02`, `2025-11-03 14:02`. */
export function shownTime(stamp: string, zone: Zone, now = new Date()): string {
  const at = new Date(stamp);
  if (Number.isNaN(at.getTime())) return stamp;
  const { date, clock, weekday, day, year } = parts(at, zone);
  const today = parts(now, zone);
  if (date === today.date) return clock;
  const age = now.getTime() - at.getTime();
  if (age >= 0 && age < WEEK_MS) return `${weekday} ${clock}`;
  return `${year === today.year ? day : date} ${clock}`;
}

/** A time for people with its date: `2026-11-03 14:02`. */
export function shownDate(stamp: string, zone: Zone): string {
  const at = new Date(stamp);
  if (Number.isNaN(at.getTime())) return stamp;
  const { date, clock } = parts(at, zone);
  return `${date} ${clock}`;
}
