/**
 * Fleet: the gateway's connection to the fleet server. Heartbeats that the server holds open bring messages into our own
 * queue and take their results back to the server.
 *
 * Promises  A message is acknowledged after it is in the gateway's durable queue. It is queued once, however often it comes.
 *           How it ended is reported from the ledger, also after a crash. The gateway works the same without the server.
 * Never     Types: a message is a queued prompt of low priority, typed when the agent is ready. Never lets the text of
 *           others begin like a command.
 * Errors    None are thrown: trouble is in the status, with the server's message.
 */

export type { AskOwn, CallRecord } from './answer-call.ts';
export { FleetPlace } from './fleet-place.ts';
export { FLEET_MIGRATIONS } from './fleet-store.ts';
