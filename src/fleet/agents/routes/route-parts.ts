import type { Context } from 'hono';
import type { MANAGED_AGENT_ROUTES } from '../../../wire/index.ts';
import type { Identity } from '../../identity/index.ts';
import type { ManagedAgents } from '../managed-agents.ts';
import type { TrackedAgent } from '../tracked-agent.ts';
import type { Access } from './access.ts';

/** What each group of routes works with. */
export interface RouteParts {
  agents: ManagedAgents;
  access: Access;
  stopping: AbortSignal;
  /** For an agent of another host; undefined: nobody carries that far. */
  afar: CarryAfar | undefined;
  /** The agent the path names, which the caller may address. */
  agentOf(context: Context): Promise<TrackedAgent>;
}

/** Carries a request to an agent that no session of this host is; `rest` stands behind the agent in its path. */
export type CarryAfar = (
  context: Context,
  asked: { caller: Identity | undefined; ref: string; rest: string },
) => Promise<Response>;

type Table = typeof MANAGED_AGENT_ROUTES;

/** Some of the routes, by the ends of their names. */
export type AgentRoutes<End extends string> = Pick<Table, `agents.${End}` & keyof Table>;
