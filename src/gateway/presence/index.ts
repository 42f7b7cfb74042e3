/**
 * Presence: what the gateway says about itself and its agent: status, state.json, health.
 *
 * Promises  Derived on demand from the surface, the queue, the slot and the instance record; nothing is kept twice.
 * Never     Probes the terminal: it reads what the surface has observed.
 */
export { Presence } from './presence.ts';
