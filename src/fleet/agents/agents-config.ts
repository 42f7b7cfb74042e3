import type { Log } from '../../base/index.ts';
import type { SessionContext } from '../../session/index.ts';

/** What the routes of managed agents need from the server they are part of. */
export interface AgentsConfig {
  /** Where this host keeps its sessions; the environment is what agents launched here get when they bring none. */
  session: SessionContext;
  /** As bound. */
  host: string;
  port: number;
  instanceId: string;
  log: Log;
  /** A token of this server's administrator, when it has one at hand. */
  ownTokenFile?: string | undefined;
  /** Begins to stop the server, once the answer is out. */
  shutdown: () => void;
}

/** Of the server alone; no agent has any business with it. */
const OWN_VARIABLES =
  /^(DATABASE_URL|ROUSE_DATABASE_DIRECT_URL|PG[A-Z]+|ROUSE_FLEET_TOKEN_FILE|HOUMAO_GATEWAY_TOKEN_FILE|NOTIFY_SOCKET)$/;

/** The server's environment as an agent may have it. */
export function environmentForAgents(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OWN_VARIABLES.test(name)));
}
