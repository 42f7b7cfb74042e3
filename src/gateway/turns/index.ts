/**
 * Turns: which of those that wait for a free moment of the agent goes first.
 *
 * Promises  The one that has waited longest; one that cannot use its turn keeps nobody else from going.
 * Never     Delivers, or knows what its waiters wait with. What is in line goes before all of them.
 */
export { TURN_MS, Turns } from './turns.ts';
