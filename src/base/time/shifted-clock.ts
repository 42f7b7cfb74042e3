import { readFileSync } from 'node:fs';
import { type Clock, systemClock } from './clock.ts';

/**
 * The system's clocks, the wall clock set by as many milliseconds as the file says now. Proofs set the clock of one
 * live process with it; nothing else does.
 */
export function shiftedClock(file: string): Clock {
  return {
    ...systemClock,
    now: () => new Date(systemClock.now().getTime() + Number(readFileSync(file, 'utf8'))),
  };
}
