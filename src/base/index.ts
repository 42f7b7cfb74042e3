/**
 * Base: what every room uses. Time, loops, errors, events, ids, files, locks, processes, logs, and the port to the
 * operating system (`system/`).
 *
 * Promises  No product words: nothing here knows mail, agents, terminals or HTTP.
 *           Time is always a parameter (Clock), so a simulated day takes a fraction of a second.
 * Never     Reads configuration or the environment; main/ does that.
 * Errors    Every expected failure is a RouseError with one code of a closed set.
 */

export * from './crash-point.ts';
export * from './emitter.ts';
export * from './errors.ts';
export * from './files/directory-watches.ts';
export * from './files/file-lock.ts';
export * from './files/file-troubles.ts';
export * from './files/files.ts';
export * from './files/open-regular.ts';
export * from './files/socket-address.ts';
export * from './files/unwritable.ts';
export * from './gather.ts';
export * from './ids.ts';
export * from './listen-address.ts';
export { handleListenerErrors } from './listener-errors.ts';
export * from './log.ts';
export * from './loop.ts';
export * from './metrics.ts';
export * from './native.ts';
export * from './processes/account.ts';
export * from './processes/ending.ts';
export * from './processes/find-program.ts';
export * from './processes/gone-terminal.ts';
export * from './processes/process-identity.ts';
export * from './processes/process-names.ts';
export * from './processes/proxy-exceptions.ts';
export * from './sha256.ts';
export * from './system/index.ts';
export * from './tenant.ts';
export * from './text.ts';
export * from './text-width.ts';
export * from './time/clock.ts';
export * from './time/fake-clock.ts';
export * from './time/wall-time.ts';
export * from './version.ts';
