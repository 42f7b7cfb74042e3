import { readFileSync } from 'node:fs';
import { callListener } from '../listener-errors.ts';

/**
 * Time as a parameter. Wall time is for timestamps that people read. Monotonic time is for waits, so that a suspended
 * machine or a corrected clock neither stalls a loop nor makes it burst.
 */
export interface Clock {
  /** Wall time. */
  now(): Date;
  /** Milliseconds on a clock that never goes back. */
  monotonic(): number;
  /** Calls back once, after at least `ms` of monotonic time. An error there ends no program. Returns a function that cancels. */
  after(ms: number, call: () => void): () => void;
}

/** The longest timer that Node supports. Longer waits are made in steps. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The same clock as `performance.now()`, whose first call takes a millisecond. */
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
      else timer = setTimeout(arm, Math.min(left, MAX_TIMER_MS));
    };
    timer = setTimeout(arm, Math.max(0, Math.min(ms, MAX_TIMER_MS)));
    return () => clearTimeout(timer);
  },
};

/** Waits on this clock. An abort ends the wait early, without an error. */
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
 * The system's clocks, with the wall clock shifted by the milliseconds that the file contains now. Only proofs use it, to
 * set the clock of one live process.
 */
export function shiftedClock(file: string): Clock {
  return {
    ...systemClock,
    now: () => new Date(systemClock.now().getTime() + Number(readFileSync(file, 'utf8'))),
  };
}
