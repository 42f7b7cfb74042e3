/**
 * Presence: what the gateway reports about itself and its agent: status, state.json, glance.json, health.
 *
 * Promises  Derived on demand from the surface, the queue, the slot and the instance record; nothing is kept twice.
 * Never     Probes the terminal: it reads what the surface has observed.
 */
export { GatewayTroubles } from './gateway-troubles.ts';
export { Glance } from './glance.ts';
export { Presence } from './presence.ts';
export { readStates, STATE_MIGRATIONS, StateChanges } from './state-changes.ts';
export { Undelivered } from './undelivered.ts';
