/**
 * Turns: which of those that wait for a free moment of the agent goes first.
 *
 * Promises  The one that has waited longest goes first; one that cannot use its turn does not keep the other waiting.
 * Never     Delivers, or knows what its waiters deliver. Queued requests go before all of them.
 */
export { TURN_MS, Turns } from './turns.ts';
