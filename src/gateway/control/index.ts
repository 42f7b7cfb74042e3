/**
 * Control: what people and programs ask of the agent through the gateway: queued requests, prompts now, keys now.
 *
 * Promises  Checks run in the contract's order and refuse with the contract's codes; a refusal changes nothing.
 *           A prompt typed now leaves the same ledger as a queued one.
 * Never     Types: it asks the surface's lane, inside the one execution slot.
 */
export { acceptRequest } from './accept-request.ts';
export type { ControlDependencies } from './dependencies.ts';
export { followLedger, untilFinished } from './follow.ts';
export { nextScreen as seeScreen } from './next-screen.ts';
export { promptNow } from './prompt-now.ts';
export { reconcile, reconciliation } from './reconcile.ts';
export { sendKeysNow } from './send-keys-now.ts';
export { waitingNow } from './waiting-now.ts';
