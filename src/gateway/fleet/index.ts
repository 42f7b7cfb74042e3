/**
 * Fleet: the gateway's line to the server of many agents. Beats that are held open, messages into our own queue, and what
 * became of them back to the server.
 *
 * Promises  A message is acknowledged after it is in the gateway's durable queue, and there once, however often it comes.
 *           How it ended is told from the ledger, also after a crash. The gateway works the same without the server.
 * Never     Types: a message is a queued prompt of low priority, carried out when the agent is ready. Lets text of
 *           others begin like a command.
 * Errors    None leave: trouble is in the status, with what the server said.
 */

export type { AskOwn, CallRecord } from './answer-call.ts';
export { FleetPlace } from './fleet-place.ts';
export { FLEET_MIGRATIONS } from './fleet-store.ts';
