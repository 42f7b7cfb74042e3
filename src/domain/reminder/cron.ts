import { Cron } from 'croner';

/**
 * The search for the next time goes on to the year 3000. Begun here it still meets every day of every month on every day
 * of the week, and one that never comes due costs next to nothing.
 */
const NEAR_THE_END = new Date('2955-01-01T00:00:00Z');

/** Reading one takes longer the longer it is; lists of every second, minute and hour fit. */
export const LONGEST_CRON = 1000;

/** Whether the text is a cron expression of five or six fields that ever comes due. */
export function isCron(expression: string): boolean {
  if (expression.length > LONGEST_CRON || !/^\S+( +\S+){4,5}$/.test(expression)) return false;
  try {
    return new Cron(expression, { timezone: 'UTC' }).nextRun(NEAR_THE_END) !== null;
  } catch {
    return false;
  }
}

/** The first time strictly after `afterMs` at which the expression is due, in wall milliseconds; undefined when never again. */
export function nextCronMs(expression: string, timeZone: string, afterMs: number): number | undefined {
  return new Cron(expression, { timezone: timeZone }).nextRun(new Date(afterMs))?.getTime();
}
