import { type Clock, type Log, Loop, type LoopTrouble, messageOf, type NextPass } from '../base/index.ts';
import type { LoopTroubles } from '../wire/index.ts';

/** The loops that are failing now, as the status shows them. */
export function troublesOf(loops: readonly Loop[]): LoopTroubles {
  return loops.flatMap(({ name, trouble }) =>
    trouble
      ? [{ loop: name, message: trouble.message, failures: trouble.failures, since_utc: trouble.sinceUtc }]
      : [],
  );
}

/** Creates loops that report a new failure and its end to the log and the status. */
export function supervisor(
  clock: Clock,
  log: Log,
  changed: () => void,
): (name: string, pass: () => Promise<NextPass>) => Loop {
  const onTrouble = (name: string, trouble: LoopTrouble | undefined): void => {
    if (trouble) log.error(`${name} failed`, { cause: trouble.message });
    else log.info(`${name} recovered`);
    try {
      changed();
    } catch (error) {
      // The cause of the loop's failure may also prevent showing it; that must not end the loop.
      log.warn('status not refreshed', { cause: messageOf(error) });
    }
  };
  return (name, pass) => new Loop({ name, clock, pass, onTrouble: (trouble) => onTrouble(name, trouble) });
}
