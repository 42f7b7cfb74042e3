import type { Clock, FileTroubles, Log } from '../base/index.ts';
import type { Accounts } from '../http/index.ts';
import type { SessionContext } from '../session/index.ts';
import type { RequestLimits } from './http/index.ts';
import type { NudgeSettings } from './nudge/index.ts';

export interface DatabaseConfig {
  /** A PostgreSQL server; undefined: the embedded database in `databaseDirectory`. */
  databaseUrl: string | undefined;
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
  /** Where this host keeps its sessions, and what agents launched here inherit; undefined: it manages none. */
  agents?:
    | (Pick<SessionContext, 'settings' | 'env' | 'gatewayProgram'> & {
        /** With the token in it, agents launched here are registered with this server when no other is named. */
        ownTokenFile?: string | undefined;
      })
    | undefined;
  /** Of the files the program keeps besides its database. */
  troubles?: FileTroubles | undefined;
  /** Default: as the contract says. */
  nudge?: NudgeSettings;
}
