/**
 * Sweep: work that must be done every so often by one server of several. A sweep is a function; this room decides when
 * and where it runs, and remembers what came of it.
 *
 * Promises  The first pass comes at once, the next after the interval and up to a tenth more. One pass at a time in a
 *           process, and one across servers as long as the lease holds. A pass that throws is tried again, later and
 *           later; nothing it does ends the loop. A dry run and a tick with nothing to do write nothing.
 * Never     Makes a sweep safe: a server that was paused may wake after its lease. Each change a sweep makes must be
 *           right by itself, with the lease only saving double work.
 * Errors    `not_found` for an unknown sweeper; what a manual run threw leaves as it is.
 */
export { clockSweep } from './clock-sweep.ts';
export { isTrue, positiveSeconds } from './settings.ts';
export type { Sweep, SweepPass } from './sweep.ts';
export { Sweepers } from './sweepers.ts';
