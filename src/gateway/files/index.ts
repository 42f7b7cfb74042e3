/**
 * The gateway's own files: status snapshot, instance record, running log, event history.
 *
 * Promises  Written on change only; 0600; renamed aside above a size, so that nothing grows for ever.
 * Never     Input for decisions: those read queue.sqlite and manifest.json.
 */

export { createEventLog, type EventLog } from './event-log.ts';
export { previousPort as portBefore, removeInstance, writeAttempt, writeInstance } from './instance-file.ts';
export { RotatingFile } from './rotating-file.ts';
export { WrittenOnChange } from './written-on-change.ts';
