import type { Hono } from 'hono';
import type { AgentRoutesOptions } from '../../../fleet/hosting.ts';
import { serve } from '../../../http/index.ts';
import { MANAGED_AGENT_ROUTES } from '../../../wire/index.ts';
import type { ManagedAgents } from '../managed-agents.ts';
import { Access } from './access.ts';
import { carryToGateways, gatewayHandlers } from './gateway-routes.ts';
import { inspectHandlers } from './inspect-routes.ts';
import { launchHandlers } from './launch-routes.ts';
import type { RouteParts } from './route-parts.ts';
import { serverHandlers } from './server-routes.ts';
import { turnHandlers } from './turn-routes.ts';

/** Everything under `/houmao`. */
export function agentRoutes(app: Hono, agents: ManagedAgents, options: AgentRoutesOptions): void {
  const { stopping } = options;
  const access = new Access(options);
  const parts: RouteParts = {
    agents,
    access,
    stopping,
    remote: options.remote,
    async agentOf(context) {
      // Checked before the caller learns whether such an agent exists.
      access.caller(context);
      return access.find(context, context.req.param('agent_ref') ?? '', await agents.list());
    },
  };
  serve(app, MANAGED_AGENT_ROUTES, {
    ...serverHandlers(parts),
    ...launchHandlers(parts),
    ...inspectHandlers(parts),
    ...turnHandlers(parts),
    ...gatewayHandlers(parts),
  });
  // After the server's own routes under the same roots.
  carryToGateways(app, parts);
}
