import type { Context } from 'hono';
import type { MANAGED_AGENT_ROUTES } from '../../../wire/index.ts';
import type { ManagedAgents } from '../managed-agents.ts';
import type { TrackedAgent } from '../tracked-agent.ts';
import type { Access } from './access.ts';

/** What each group of routes works with. */
export interface RouteParts {
  agents: ManagedAgents;
  access: Access;
  stopping: AbortSignal;
  /** The agent the path names, which the caller may address. */
  agentOf(context: Context): Promise<TrackedAgent>;
}

type Table = typeof MANAGED_AGENT_ROUTES;

/** Some of the routes, by the ends of their names. */
export type AgentRoutes<End extends string> = Pick<Table, `agents.${End}` & keyof Table>;
