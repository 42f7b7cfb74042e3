import type { Context } from 'hono';
import { forbidden, notFound, unauthorized } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { isLoopback } from '../../http/index.ts';
import { DEFAULT_ORG, type Identity } from '../identity/index.ts';
import type { TrackedAgent } from './tracked-agent.ts';

export interface AccessOptions {
  sql: Sql;
  /** The address the server is bound to. */
  host: string;
  /** Who sent the request, by its token; undefined when it has none. */
  callerOf: (context: Context) => Identity | undefined;
}

/**
 * Who may speak to the agents of this host. On loopback no token is needed, as with a gateway; beyond it one is. A token
 * that is sent is held to: an agent's addresses that agent alone, a person's the agents of their org.
 */
export class Access {
  readonly #on: AccessOptions;

  constructor(options: AccessOptions) {
    this.#on = options;
  }

  caller(context: Context): Identity | undefined {
    const identity = this.#on.callerOf(context);
    if (identity || isLoopback(this.#on.host)) return identity;
    throw unauthorized('a bearer token is required', {
      hint: 'this server listens beyond this host; send "Authorization: Bearer <token>"',
    });
  }

  /** For what concerns no single agent: launching, stopping the server. */
  requirePerson(context: Context): void {
    if (this.caller(context)?.kind === 'agent')
      throw forbidden('this needs the token of a person, not of an agent');
  }

  /**
   * For launching, which runs any program as the owner of the server. Loopback is open to every account of the machine, so
   * it takes a person's token, or a file that only an owner of this account can have handed over.
   */
  requireOwner(context: Context, handedOver: string | null | undefined): void {
    this.requirePerson(context);
    if (this.#on.callerOf(context) || handedOver != null) return;
    throw unauthorized('launching needs the token of a person, or environment_file', {
      hint: '"rouse agents launch --pair-port" hands one over; otherwise send "Authorization: Bearer <token>"',
    });
  }

  requireAdmin(context: Context): void {
    const caller = this.caller(context);
    if (caller && (caller.kind !== 'admin' || caller.orgId !== null))
      throw forbidden('this needs the token of an administrator of the whole server');
  }

  async visible(context: Context, agents: TrackedAgent[]): Promise<TrackedAgent[]> {
    const caller = this.caller(context);
    if (!caller) return agents;
    const seen = await Promise.all(agents.map((agent) => this.#may(caller, agent)));
    return agents.filter((_, index) => seen[index]);
  }

  /** What an agent may not address is forbidden; what a person's org does not have is not there. */
  async require(context: Context, agent: TrackedAgent): Promise<void> {
    const caller = this.caller(context);
    if (!caller || (await this.#may(caller, agent))) return;
    if (caller.kind === 'agent') throw forbidden("an agent's token addresses that agent alone");
    throw notFound('this server knows no such agent', { facts: { cause: 'unknown_agent' } });
  }

  async #may(caller: Identity, { facts }: TrackedAgent): Promise<boolean> {
    if (caller.orgId === null) return true;
    const { rows } = await this.#on.sql.query<{ id: string; org_id: string }>(
      `SELECT id, org_id FROM workspaces WHERE agent_id = $1 AND status <> 'removed'`,
      [facts.agentId],
    );
    if (caller.kind === 'agent') return rows.some(({ id }) => id === caller.workspaceId);
    if (rows.length > 0) return rows.some(({ org_id }) => org_id === caller.orgId);
    const { rows: own } = await this.#on.sql.query<{ name: string }>('SELECT name FROM orgs WHERE id = $1', [
      caller.orgId,
    ]);
    return own[0]?.name === DEFAULT_ORG;
  }
}
