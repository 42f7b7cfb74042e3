/**
 * Hosting: a fleet server that launches agents and owns them. `server/` runs in the server, `gateway/` in the gateway beside
 * such an agent.
 *
 * Only src/fleet/hosting-list.ts imports this room; src/fleet/hosting.ts is its interface.
 */
import type { Hosting } from '../fleet/hosting.ts';
import { openServedSurface } from './gateway/index.ts';

export const HOSTING: Hosting = {
  start: async (config) => (await import('./server/index.ts')).startHosting(config),
  openSurface: openServedSurface,
};
