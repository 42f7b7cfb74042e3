import { Cron } from 'croner';

/**
 * The search for the next time ends with the year 3000. Started here, it still meets every day of every month on every
 * day of the week, and ends soon for an expression that never comes due.
 */
const NEAR_THE_END = new Date('2955-01-01T00:00:00Z');

/** A longer expression takes longer to parse. Lists of every second, minute and hour fit. */
export const MAX_CRON_LENGTH = 1000;

/** Whether the text is a cron expression of five or six fields that ever comes due. */
export function isCron(expression: string): boolean {
  if (expression.length > MAX_CRON_LENGTH || !/^\S+( +\S+){4,5}$/.test(expression)) return false;
  try {
    return new Cron(expression, { timezone: 'UTC' }).nextRun(NEAR_THE_END) !== null;
  } catch {
    return false;
  }
}

/** Returns the first due time strictly after `afterMs`, in wall milliseconds; undefined if there is none. */
export function nextCronMs(expression: string, timeZone: string, afterMs: number): number | undefined {
  return new Cron(expression, { timezone: timeZone }).nextRun(new Date(afterMs))?.getTime();
}
