import type { Context } from 'hono';
import { forbidden, isRouseError, unauthorized } from '../../../base/index.ts';
import { sessionFleet } from '../../../client/index.ts';
import type { Grant } from '../../../domain/index.ts';
import {
  type AgentRoutesOptions,
  DEFAULT_ORG,
  type Identity,
  requireGrant,
  requirePerson,
} from '../../../fleet/hosting.ts';
import { isOwner } from '../../../http/index.ts';
import { resolveRef } from '../resolve-ref.ts';
import type { TrackedAgent } from '../tracked-agent.ts';

type AccessOptions = Pick<AgentRoutesOptions, 'sql' | 'callerOf'>;

/**
 * Who may speak to the agents of this host. Without a token, only the account that owns the server, identified by its
 * connection to loopback: it is the administrator of the whole server. A token limits its caller: an agent's token
 * reaches that agent alone, a person's the agents of their org. Running or ending programs of the server's account
 * needs a grant.
 */
export class Access {
  readonly #options: AccessOptions;

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /** Returns undefined for the owner. Throws for an unknown caller. */
  caller(context: Context): Identity | undefined {
    const identity = this.#options.callerOf(context);
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
   * For launching, which runs any program as the owner of the server: requires a token with the grant, or a file that
   * only the owner can have handed to a person.
   */
  requireLaunch(context: Context, handedOver: string | null | undefined): void {
    this.requirePerson(context);
    if (handedOver == null) this.requireGrant(context, 'launch');
  }

  async visible(context: Context, agents: TrackedAgent[]): Promise<TrackedAgent[]> {
    const caller = this.caller(context);
    if (!caller || caller.orgId === null) return agents;
    const places = await this.#placesOf(agents);
    const { rows } = await this.#options.sql.query<{ id: string }>('SELECT id FROM orgs WHERE name = $1', [
      DEFAULT_ORG,
    ]);
    return agents.filter((_, index) => {
      const place = places[index];
      // Its files say that it is in a fleet but not where, so it belongs to no one.
      if (place === 'unreadable') return false;
      if (caller.kind === 'agent') return place?.id === caller.workspaceId;
      return (place?.org_id ?? rows[0]?.id) === caller.orgId;
    });
  }

  /**
   * Returns the agent that a reference means, among those the caller may address. Agents of others are neither found
   * nor make a reference ambiguous. An agent does not learn which others exist.
   */
  async find(context: Context, ref: string, agents: TrackedAgent[]): Promise<TrackedAgent> {
    try {
      return resolveRef(ref, await this.visible(context, agents));
    } catch (error) {
      if (this.caller(context)?.kind !== 'agent' || !isRouseError(error) || error.code !== 'not_found')
        throw error;
      throw forbidden("an agent's token reaches only that agent");
    }
  }

  /**
   * Returns the workspace each session registered as, by its own files: anyone who registers may choose an agent id, so
   * the id says nothing about a session of this host. Undefined: it is registered in no org of this server.
   */
  async #placesOf(agents: TrackedAgent[]): Promise<(Place | 'unreadable' | undefined)[]> {
    const ids = agents.map(({ facts }) => workspaceOf(facts.root));
    const { rows } = await this.#options.sql.query<Place>(
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
