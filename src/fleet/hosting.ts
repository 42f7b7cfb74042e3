import type { Context, Hono } from 'hono';
import type { Clock, Log } from '../base/index.ts';
import type { Sql } from '../db/index.ts';
import type { ServingServer } from '../domain/index.ts';
import type { SessionContext } from '../session/index.ts';
import type { AgentSurface, Hold } from '../terminal/index.ts';
import { VARIABLE } from '../wire/houmao/index.ts';
import type { SessionManifest } from '../wire/index.ts';
import type { Identity } from './identity/index.ts';

export { DEFAULT_ORG, type Identity, requireGrant, requirePerson } from './identity/index.ts';

/** What the routes of managed agents need from the server they are part of. */
export interface AgentsConfig {
  /** Where this host keeps its sessions. Its environment is what agents launched here get if they bring none. */
  session: SessionContext;
  /** The bound address. */
  host: string;
  port: number;
  instanceId: string;
  log: Log;
  /** File with a token of this server's administrator, if it has one. */
  ownTokenFile?: string | undefined;
  /** Begins to stop the server, once the response is out. */
  shutdown: () => void;
}

/** Carries a request to an agent that has no session on this host. `rest` is the part of the path after the agent. */
export type CarryRemoteCall = (
  context: Context,
  asked: { caller: Identity | undefined; ref: string; rest: string },
) => Promise<Response>;

export interface AgentRoutesOptions {
  sql: Sql;
  /** Returns who sent the request, by its token; undefined without a token. */
  callerOf: (context: Context) => Identity | undefined;
  /** Aborted when the server stops; held responses are sent then. */
  stopping: AbortSignal;
  remote?: CarryRemoteCall | undefined;
}

/** The agents of one host, served by one server. */
export interface HostedAgents {
  /** Everything under `/houmao`. */
  serve(app: Hono, options: AgentRoutesOptions): void;
  close(): Promise<void>;
}

/** An agent whose turns a server runs, as the gateway beside it has it. */
export interface ServedAgent {
  server: ServingServer;
  manifest: SessionManifest;
  sessionRoot: string;
  clock: Clock;
  log: Log;
  env: NodeJS.ProcessEnv;
  /** A person's pause of the agent. */
  hold?: Hold | undefined;
}

/** What makes a server launch and own agents. It is a room of its own; hosting-list.ts names it. */
export interface Hosting {
  start(config: AgentsConfig): Promise<HostedAgents>;
  openSurface(agent: ServedAgent): AgentSurface;
}

/** For the server alone; agents must not get them. */
const OWN_VARIABLES =
  /^(DATABASE_URL|ROUSE_DATABASE_DIRECT_URL|PG[A-Z]+|ROUSE_FLEET_TOKEN_FILE|NOTIFY_SOCKET)$/;

/** Returns the server's environment without what agents must not get. */
export function environmentForAgents(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => name !== VARIABLE.gatewayTokenFile && !OWN_VARIABLES.test(name)),
  );
}
