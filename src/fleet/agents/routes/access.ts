import type { Context } from 'hono';
import { forbidden, isRouseError, unauthorized } from '../../../base/index.ts';
import { sessionFleet } from '../../../client/index.ts';
import type { Sql } from '../../../db/index.ts';
import { isOwner } from '../../../http/index.ts';
import type { Grant } from '../../../wire/index.ts';
import { DEFAULT_ORG, type Identity, requireGrant, requirePerson } from '../../identity/index.ts';
import { resolveRef } from '../resolve-ref.ts';
import type { TrackedAgent } from '../tracked-agent.ts';

export interface AccessOptions {
  sql: Sql;
  /** Who sent the request, by its token; undefined when it has none. */
  callerOf: (context: Context) => Identity | undefined;
}

/**
 * Who may speak to the agents of this host. Without a token only the account that owns the server, known by its connection
 * to loopback: it is the administrator of the whole server. A token that is sent is held to: an agent's addresses that agent
 * alone, a person's the agents of their org; and what runs or ends programs of the server's account needs a grant.
 */
export class Access {
  readonly #on: AccessOptions;

  constructor(options: AccessOptions) {
    this.#on = options;
  }

  /** Undefined: the owner. Nobody is refused. */
  caller(context: Context): Identity | undefined {
    const identity = this.#on.callerOf(context);
    if (identity || isOwner(context)) return identity;
    throw unauthorized('a bearer token is required', {
      hint: 'send "Authorization: Bearer <token>"; "rouse tokens create --kind user --subject NAME" creates one',
    });
  }

  requirePerson(context: Context): void {
    const caller = this.caller(context);
    if (caller) requirePerson(caller);
  }

  requireGrant(context: Context, grant: Grant): void {
    const caller = this.caller(context);
    if (caller) requireGrant(caller, grant);
  }

  /**
   * For launching, which runs any program as the owner of the server: a token with the grant, or a file that only the owner
   * can have handed over to a person.
   */
  requireLaunch(context: Context, handedOver: string | null | undefined): void {
    this.requirePerson(context);
    if (handedOver == null) this.requireGrant(context, 'launch');
  }

  async visible(context: Context, agents: TrackedAgent[]): Promise<TrackedAgent[]> {
    const caller = this.caller(context);
    if (!caller || caller.orgId === null) return agents;
    const places = await this.#placesOf(agents);
    const { rows } = await this.#on.sql.query<{ id: string }>('SELECT id FROM orgs WHERE name = $1', [
      DEFAULT_ORG,
    ]);
    return agents.filter((_, index) => {
      const place = places[index];
      // Nobody's: its files say that it is in a fleet, and not where.
      if (place === 'unreadable') return false;
      if (caller.kind === 'agent') return place?.id === caller.workspaceId;
      return (place?.org_id ?? rows[0]?.id) === caller.orgId;
    });
  }

  /**
   * The agent a reference means, among those the caller may address: agents of others neither answer nor make a reference
   * ambiguous. An agent is not told which others there are.
   */
  async find(context: Context, ref: string, agents: TrackedAgent[]): Promise<TrackedAgent> {
    try {
      return resolveRef(ref, await this.visible(context, agents));
    } catch (error) {
      if (this.caller(context)?.kind !== 'agent' || !isRouseError(error) || error.code !== 'not_found')
        throw error;
      throw forbidden("an agent's token addresses that agent alone");
    }
  }

  /**
   * The workspace each session registered as, by its own files: an agent id is chosen by whoever registers it, and says
   * nothing about a session of this host. Undefined: it is registered in no org of this server.
   */
  async #placesOf(agents: TrackedAgent[]): Promise<(Place | 'unreadable' | undefined)[]> {
    const ids = agents.map(({ facts }) => workspaceOf(facts.root));
    const { rows } = await this.#on.sql.query<Place>(
      'SELECT id, org_id FROM workspaces WHERE id::text = ANY($1::text[])',
      [ids.filter((id) => id !== undefined)],
    );
    return ids.map((id) => (id === 'unreadable' ? id : rows.find((row) => row.id === id)));
  }
}

interface Place {
  id: string;
  org_id: string;
}

function workspaceOf(root: string): string | undefined {
  try {
    return sessionFleet(root)?.workspaceId;
  } catch {
    return 'unreadable';
  }
}
