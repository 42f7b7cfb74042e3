import type { Context } from 'hono';
import type { CarryRemoteCall } from '../../../fleet/hosting.ts';
import type { MANAGED_AGENT_ROUTES } from '../../../wire/index.ts';
import type { ManagedAgents } from '../managed-agents.ts';
import type { TrackedAgent } from '../tracked-agent.ts';
import type { Access } from './access.ts';

/** What each group of routes needs. */
export interface RouteParts {
  agents: ManagedAgents;
  access: Access;
  stopping: AbortSignal;
  /** For an agent on another host. Undefined: remote calls are not possible. */
  remote: CarryRemoteCall | undefined;
  /** Returns the agent that the path names, if the caller may address it. */
  agentOf(context: Context): Promise<TrackedAgent>;
}

type Table = typeof MANAGED_AGENT_ROUTES;

/** Some of the routes, by the ends of their names. */
export type AgentRoutes<End extends string> = Pick<Table, `agents.${End}` & keyof Table>;
