/**
 * Hosting: a fleet server that launches agents and owns them. `server/` is what runs in the server, `gateway/` what runs in
 * the gateway beside such an agent.
 *
 * Nothing but src/fleet/hosting-list.ts names this room; src/fleet/hosting.ts is what it does for others.
 */
import type { Hosting } from '../fleet/hosting.ts';
import { openServedSurface } from './gateway/index.ts';

export const HOSTING: Hosting = {
  start: async (config) => (await import('./server/index.ts')).startHosting(config),
  openSurface: openServedSurface,
};
