/**
 * Agents: the agents of this host behind one address. Lists and describes them, launches and owns some, attaches and
 * detaches their gateways, runs the turns of headless ones, and carries everything else to the gateways.
 *
 * Promises  A reference means one agent or is refused. A session is known here only after its registration is on disk.
 *           A gateway is spoken to only when it has proven to be the recorded one; what it answers is passed on unchanged.
 *           A turn that was accepted survives the server, and none runs twice.
 * Never     Speaks for a session that its manifest gives to another server. Hands the server's own secrets to an agent.
 * Errors    `not_found` and `conflict` for references, `unavailable` without a live gateway, otherwise what session/ or
 *           the gateway says.
 */

export { type ManagedAgents, startAgents } from './managed-agents.ts';
export type { CarryAfar } from './routes/route-parts.ts';
export { agentRoutes } from './routes/routes.ts';
