/**
 * The queue: what the gateway has promised to do, in queue.sqlite. Everything that wants a prompt in the terminal is
 * accepted here first; everything that was done is written here before the next step is taken.
 *
 * Promises  What accept() returned survives kill -9. Each request ends in exactly one outcome, with its evidence.
 *           Order is a sequence, not a clock; people go before machines; cost does not grow with finished rows.
 * Never     Types, reads the screen, or decides whether the agent may be disturbed.
 * Errors    `conflict` for a reused idempotency key or a request that cannot be cancelled any more, `not_found`.
 */

export { type CoalescePlan, joinInterrupts } from './coalesce.ts';
export { type InstanceRecord, InstanceStore } from './instance-record.ts';
export { type LedgerEntry, outcomeOf } from './ledger.ts';
export { OpenedFile } from './opened-file.ts';
export { type GatewayActivity, readActivity } from './past/activity.ts';
export { readAnnounced, readWakeHealth } from './past/read-wake-health.ts';
export { readUndelivered } from './past/undelivered.ts';
export { readWakesIn } from './past/wakes-in.ts';
export {
  type AcceptInput,
  isAutomatic,
  PRIORITY,
  payloadOf,
  promptOf,
  type RequestRow,
  traceOf,
} from './request.ts';
export { type Accepted, RequestQueue } from './request-queue.ts';
export { toListedRequest, toRequestView } from './request-view.ts';

export { QUEUE_MIGRATIONS } from './schema.ts';
