/**
 * Delivery: messages on their way to agents. Filled by tickets, nudges and A2A; emptied by the heartbeats of gateways.
 *
 * Promises  What enqueue() returned is stored, and sent in order of priority and age; one active message per key.
 *           One session at a time holds a message; only the holder of the current lease can settle it.
 *           An end is reported as it was seen: `completed` is in the gateway's own queue, `dropped` was never sent,
 *           `failed` says why, and whether it may have been delivered all the same.
 * Never     Sends one message to two sessions on its own; types into a terminal; keeps ended messages forever.
 * Errors    `not_found` for a workspace of another tenant, `conflict` for a replay that is not possible.
 */
export {
  acknowledgeAll,
  recordOutcome,
} from './acknowledge.ts';
export { claim, claimAtOnce, type DispatchGuards } from './claim.ts';
export {
  type DeadLetterPage,
  dropStale,
  listDeadLetters,
  replay,
} from './dead-letters.ts';
export { type Enqueued, enqueue, enqueueAll, type NewDelivery } from './enqueue.ts';
export { type DeliveryRecord, findDelivery } from './find.ts';
export type { Leased } from './lease.ts';
export {
  DELIVERY_CHANNEL,
  DELIVERY_PRIORITY,
  DEPTH_COUNTED,
  RETRY_AFTER_SECONDS,
  TASK_CHANNEL,
} from './message.ts';
export { messageBody } from './message-body.ts';
export { type PageCursor, readCursor, writeCursor } from './page-cursor.ts';
export { giveUpTurns, recordTurn } from './turns.ts';
export { deliverySweep, upkeepPass } from './upkeep.ts';
