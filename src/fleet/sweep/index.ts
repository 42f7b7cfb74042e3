/**
 * Sweep: work that one of several servers must do regularly. A sweep is a function; this room decides when
 * and where it runs, and remembers the result.
 *
 * Promises  The first pass comes at once, the next after the interval and up to a tenth more. One pass at a time in a
 *           process, and one across servers as long as the lease holds. A pass that throws is retried, later and
 *           later; nothing it does ends the loop. A dry run and a tick with nothing to do write nothing.
 * Never     Makes a sweep safe: a server that was paused may wake after its lease. Each change a sweep makes must be
 *           right on its own; the lease only saves double work.
 * Errors    `not_found` for an unknown sweeper; errors of a manual run are passed on unchanged.
 */
export { clockSweep } from './clock-sweep.ts';
export { isTrue, positiveSeconds } from './settings.ts';
export type { Sweep, SweepPass } from './sweep.ts';
export { Sweepers } from './sweepers.ts';
