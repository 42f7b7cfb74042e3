/**
 * Base: the floor every room stands on. Time, loops, errors, events, ids, files, locks, processes, logs.
 *
 * Promises  No product words: nothing here knows mail, agents, terminals or HTTP.
 *           Time is always a parameter (Clock), so a simulated day takes a fraction of a second.
 * Never     Reads configuration or the environment; bin/ does that.
 * Errors    Everything that can go wrong on purpose leaves as a RouseError with one code of a closed set.
 */
export * from './account.ts';
export * from './clock.ts';
export * from './crash-point.ts';
export * from './emitter.ts';
export * from './ending.ts';
export * from './errors.ts';
export * from './fake-clock.ts';
export * from './file-lock.ts';
export * from './file-troubles.ts';
export * from './files.ts';
export * from './find-program.ts';
export * from './gone-terminal.ts';
export * from './ids.ts';
export * from './log.ts';
export * from './loop.ts';
export * from './native.ts';
export * from './process-identity.ts';
export * from './process-names.ts';
export * from './shifted-clock.ts';
export * from './text.ts';
export * from './wall-time.ts';
