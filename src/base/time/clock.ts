import { readFileSync } from 'node:fs';
import { callListener } from '../listener-errors.ts';

/**
 * Time as a parameter. Wall time is for stamps that people read; monotonic time is for waits, so that a
 * suspended machine or a corrected clock neither stalls a loop nor makes it burst.
 */
export interface Clock {
  /** Wall time. */
  now(): Date;
  /** Milliseconds on a clock that never goes back. */
  monotonic(): number;
  /** Calls back once, after at least `ms` of monotonic time; what that throws ends no program. Returns a function that cancels. */
  after(ms: number, call: () => void): () => void;
}

/** The longest single timer Node keeps; a longer wait is taken in steps. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Of the same clock as `performance.now()`, whose first call takes a millisecond. */
function monotonic(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic,
  after(ms, call) {
    const due = monotonic() + ms;
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const left = due - monotonic();
      if (left <= 0) callListener(call);
      else timer = setTimeout(arm, Math.min(left, LONGEST_TIMER_MS));
    };
    timer = setTimeout(arm, Math.max(0, Math.min(ms, LONGEST_TIMER_MS)));
    return () => clearTimeout(timer);
  },
};

/** Waits on the given clock; an abort ends the wait early and quietly. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

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
