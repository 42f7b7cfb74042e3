/**
 * Agents: the agents of this host behind one address. Lists and describes them, launches and owns some, attaches and
 * detaches their gateways, runs the turns of headless ones, and forwards everything else to the gateways.
 *
 * Promises  A reference means one agent or is refused. A session is known here only after its registration is on disk.
 *           A gateway is used only when it has proven to be the recorded one; its responses are passed on unchanged.
 *           A turn that was accepted survives the server, and none runs twice.
 * Never     Speaks for a session whose manifest names another server. Passes the server's own secrets to an agent.
 * Errors    `not_found` and `conflict` for references, `unavailable` without a live gateway, otherwise what session/ or
 *           the gateway reports.
 */
import type { AgentsConfig, HostedAgents } from '../../fleet/hosting.ts';
import { ManagedAgents } from './managed-agents.ts';
import { agentRoutes } from './routes/routes.ts';

export async function startHosting(config: AgentsConfig): Promise<HostedAgents> {
  const agents = new ManagedAgents(config);
  await agents.start();
  return {
    serve: (app, options) => agentRoutes(app, agents, options),
    close: () => agents.close(),
  };
}
