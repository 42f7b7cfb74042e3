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
  /** A PostgreSQL server; undefined: the embedded database in `databaseDirectory`. */
  databaseUrl: string | undefined;
  /** The same one without the connection pooler that `databaseUrl` leads to. */
  databaseDirectUrl?: string | undefined;
  databaseDirectory: string;
  /** Where an initialised embedded database is kept for copying. */
  templateDirectory?: string | undefined;
  /** Where a release keeps one, packed. */
  archiveDirectory?: string | undefined;
  clock: Clock;
  log: Log;
}

export interface ServerConfig extends DatabaseConfig {
  host: string;
  port: number;
  /** Names under which it is reached besides its address. */
  hosts?: readonly string[] | undefined;
  /** Speaks TLS to everybody but the programs of its own machine. */
  tls?: TlsFiles | undefined;
  /** Whose forwarded headers are believed. Default: nobody's. */
  proxies?: TrustedProxies | undefined;
  /** Which accounts of this machine may connect to loopback. Default: its own and root. */
  accounts?: Accounts | undefined;
  /** Shown by the owner's own programs where the accounts are not known. */
  ownerToken?: string | undefined;
  /** How others reach it; default: as each of them addresses it. */
  publicUrl?: string | undefined;
  /** Without a heartbeat for this long, an agent is offline. */
  livenessSeconds?: number | undefined;
  /** How long a message that was handed out waits for its answer. */
  leaseSeconds?: number | undefined;
  limits?: RequestLimits | undefined;
  /** Whose fields its answers have. Default: all of ours. */
  wire?: WireMode | undefined;
  /** How long what has ended is kept. */
  keeping?: Keeping | undefined;
  /** Where this host keeps its sessions, and what agents launched here inherit; undefined: it manages none. */
  agents?:
    | (Pick<SessionContext, 'settings' | 'env' | 'gatewayProgram'> & {
        /** With the token in it, agents launched here are registered with this server when no other is named. */
        ownTokenFile?: string | undefined;
      })
    | undefined;
  /** Runs when the database is there, before anybody is let in and anything is swept; when it fails, so does the start. */
  prepare?: ((sql: Sql) => Promise<void>) | undefined;
  /** Of the files the program keeps besides its database. */
  troubles?: FileTroubles | undefined;
  /** It ends by itself after so long without a tab of the page and without an agent that beats. Default: never. */
  endWhenIdleMs?: number | undefined;
  /** When sessions of the page end by themselves. */
  page?: SessionTimes | undefined;
  /** Default: as the contract says. */
  nudge?: NudgeSettings;
}
