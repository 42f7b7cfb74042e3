import type { Hono } from 'hono';
import { Access, type AccessOptions } from './access.ts';
import { gatewayRoutes } from './gateway-routes.ts';
import { inspectRoutes } from './inspect-routes.ts';
import { launchRoutes } from './launch-routes.ts';
import type { ManagedAgents } from './managed-agents.ts';
import type { RouteParts } from './route-parts.ts';
import { serverRoutes } from './server-routes.ts';
import { turnRoutes } from './turn-routes.ts';

export interface AgentRoutesOptions extends AccessOptions {
  agents: ManagedAgents;
  /** Aborted when the server stops: held answers go out then. */
  stopping: AbortSignal;
}

/** Everything under `/houmao`. */
export function agentRoutes(app: Hono, options: AgentRoutesOptions): void {
  const { agents, stopping } = options;
  const access = new Access(options);
  const parts: RouteParts = {
    agents,
    access,
    stopping,
    async agentOf(context) {
      // Before it is told whether such an agent exists.
      access.caller(context);
      return access.find(context, context.req.param('ref') ?? '', await agents.list());
    },
  };
  serverRoutes(app, parts);
  launchRoutes(app, parts);
  inspectRoutes(app, parts);
  turnRoutes(app, parts);
  gatewayRoutes(app, parts);
}
