import type { Handlers } from '../../../http/index.ts';
import { removeCurrentServer, writeCurrentServer } from '../server-place.ts';
import type { AgentRoutes, RouteParts } from './route-parts.ts';

/** Shows which server runs here, and stops it. */
export function serverHandlers({ agents, access }: RouteParts): Handlers<AgentRoutes<'server' | 'shutdown'>> {
  const current = writeCurrentServer(agents.config);
  return {
    'agents.server': ({ context }) => {
      access.caller(context);
      return current;
    },
    'agents.shutdown': async ({ context, body }) => {
      access.requireGrant(context, 'shutdown');
      await body();
      removeCurrentServer(agents.config);
      agents.config.shutdown();
      return {
        success: true,
        schema_version: 1,
        status: 'ok',
        action: 'shutdown',
        detail: 'the server is stopping; its agents keep running',
      };
    },
  };
}
