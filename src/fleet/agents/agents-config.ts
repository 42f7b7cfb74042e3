import type { Log } from '../../base/index.ts';
import type { SessionContext } from '../../session/index.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';

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

/** For the server alone; agents must not get them. */
const OWN_VARIABLES =
  /^(DATABASE_URL|ROUSE_DATABASE_DIRECT_URL|PG[A-Z]+|ROUSE_FLEET_TOKEN_FILE|NOTIFY_SOCKET)$/;

/** Returns the server's environment without what agents must not get. */
export function environmentForAgents(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => name !== VARIABLE.gatewayTokenFile && !OWN_VARIABLES.test(name)),
  );
}
