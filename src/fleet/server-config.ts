import type { Clock, FileTroubles, Log } from '../base/index.ts';
import type { Sql } from '../db/index.ts';
import type { Accounts, TlsFiles, TrustedProxies } from '../http/index.ts';
import type { SessionContext } from '../session/index.ts';
import type { WireMode } from '../wire/index.ts';
import type { RequestLimits } from './http/index.ts';
import type { NudgeSettings } from './nudge/index.ts';
import type { SessionTimes } from './page/index.ts';
import type { Keeping } from './retention.ts';

export interface DatabaseConfig {
  /** URL of a PostgreSQL server; undefined: the embedded database in `databaseDirectory`. */
  databaseUrl: string | undefined;
  /** The same server, without the connection pooler behind `databaseUrl`. */
  databaseDirectUrl?: string | undefined;
  databaseDirectory: string;
  /** Where an initialised embedded database is kept as a template. */
  templateDirectory?: string | undefined;
  /** Where a release keeps a packed template. */
  archiveDirectory?: string | undefined;
  clock: Clock;
  log: Log;
}

export interface ServerConfig extends DatabaseConfig {
  host: string;
  port: number;
  /** Names by which it is reached, besides its address. */
  hosts?: readonly string[] | undefined;
  /** Speaks TLS to everyone but the programs of its own machine. */
  tls?: TlsFiles | undefined;
  /** Proxies whose forwarded headers are trusted. Default: none. */
  proxies?: TrustedProxies | undefined;
  /** Which accounts of this machine may connect to loopback. Default: its own and root. */
  accounts?: Accounts | undefined;
  /** Used by the owner's own programs where accounts cannot be identified. */
  ownerToken?: string | undefined;
  /** How others reach it. Default: as each of them addresses it. */
  publicUrl?: string | undefined;
  /** Without a heartbeat for this long, an agent is offline. */
  livenessSeconds?: number | undefined;
  /** How long a message that was handed out waits for its acknowledgement. */
  leaseSeconds?: number | undefined;
  limits?: RequestLimits | undefined;
  /** Which version's fields responses have. Default: all of ours. */
  wire?: WireMode | undefined;
  /** How long ended things are kept. */
  keeping?: Keeping | undefined;
  /** Where this host keeps its sessions, and what agents launched here inherit. Undefined: it manages none. */
  agents?:
    | (Pick<SessionContext, 'settings' | 'env' | 'gatewayProgram'> & {
        /**
         * File with a token for this server. With it, agents launched here register with this server unless they name
         * another.
         */
        ownTokenFile?: string | undefined;
      })
    | undefined;
  /**
   * Runs once the database is ready, before requests are accepted and anything is swept. If it fails, the start fails.
   */
  prepare?: ((sql: Sql) => Promise<void>) | undefined;
  /** Trouble with files that the program keeps besides its database. */
  troubles?: FileTroubles | undefined;
  /** The server stops on its own after this long without a tab of the page and without a heartbeat. Default: never. */
  endWhenIdleMs?: number | undefined;
  /** When sessions of the page expire. */
  page?: SessionTimes | undefined;
  /** Default: the values of the contract. */
  nudge?: NudgeSettings;
}
