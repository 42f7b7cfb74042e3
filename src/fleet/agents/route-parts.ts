import type { Context } from 'hono';
import type { Access } from './access.ts';
import type { ManagedAgents } from './managed-agents.ts';
import type { TrackedAgent } from './tracked-agent.ts';

/** What each group of routes works with. */
export interface RouteParts {
  agents: ManagedAgents;
  access: Access;
  stopping: AbortSignal;
  /** The agent the path names, which the caller may address. */
  agentOf(context: Context): Promise<TrackedAgent>;
}
