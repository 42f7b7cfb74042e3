import { forbidden, invalid, notFound } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type Identity, maySeeOrg, type Party, partyOf, requireWorkspace } from '../identity/index.ts';
import { findWorkspace } from '../registry/index.ts';

/** The caller, the tenant, and whose inbox and outbox are meant. */
export interface Scope {
  caller: Identity;
  /** Null: an administrator of the whole server who named no tenant. */
  orgId: string | null;
  party: Party;
}

/** On `/workspaces/:id/…`: the agent itself, or an administrator who looks at it under their own name. */
export async function agentScope(sql: Sql, caller: Identity, workspaceId: string): Promise<Scope> {
  const workspace = await findWorkspace(sql, workspaceId);
  if (!workspace || workspace.status === 'removed' || !maySeeOrg(caller, workspace.org_id)) {
    throw notFound(`there is no workspace ${workspaceId}`);
  }
  if (caller.kind === 'user') {
    throw forbidden("a person's token cannot act for an agent", { hint: 'people use /requests' });
  }
  requireWorkspace(caller, { id: workspace.id, orgId: workspace.org_id });
  return { caller, orgId: workspace.org_id, party: { type: 'agent', id: workspace.id } };
}

/** On `/requests/…`: the owner of the token. */
export function ownScope(caller: Identity, asked: string | undefined): Scope {
  if (asked !== undefined && !maySeeOrg(caller, asked)) throw notFound(`there is no org ${asked}`);
  return { caller, orgId: caller.orgId ?? asked ?? null, party: partyOf(caller) };
}

/** Returns the tenant to act in. A server with one tenant needs no name. */
export async function requireOrg(sql: Sql, scope: Scope, named?: string): Promise<string> {
  if (named !== undefined && !maySeeOrg(scope.caller, named)) throw notFound(`there is no org ${named}`);
  if (scope.orgId !== null && named !== undefined && named !== scope.orgId)
    throw notFound(`there is no org ${named}`);
  const known = scope.orgId ?? named;
  const { rows } = await sql.query<{ id: string }>(
    'SELECT id FROM orgs WHERE $1::text IS NULL OR id::text = lower($1) ORDER BY id LIMIT 2',
    [known ?? null],
  );
  if (rows.length === 1) return rows[0]!.id;
  if (known !== undefined) throw notFound(`there is no org ${known}`);
  throw invalid('org_id is required: this token is for the whole server', {
    hint: '"rouse tokens create --kind user" makes a token of one org',
  });
}
