import { commandLine, forbidden } from '../../base/index.ts';
import type { Grant, PartyType } from '../../domain/index.ts';

/** The caller, as the credential says; bodies and paths never decide it. */
export type Identity = AgentIdentity | PersonIdentity;

export interface AgentIdentity {
  kind: 'agent';
  tokenId: string;
  orgId: string;
  workspaceId: string;
}

export interface PersonIdentity {
  kind: 'user' | 'admin';
  tokenId: string;
  /** Null: an administrator of the whole server. */
  orgId: string | null;
  userId: string;
  grants: readonly Grant[];
}

/** The identity as a party of a ticket: an agent by its workspace, a person by the name on the token. */
export interface Party {
  type: PartyType;
  id: string;
}

export function partyOf(identity: Identity): Party {
  return identity.kind === 'agent'
    ? { type: 'agent', id: identity.workspaceId }
    : { type: 'user', id: identity.userId };
}

/** An identity sees only its own tenant; an administrator of the whole server sees all. */
export function maySeeOrg(identity: Identity, orgId: string): boolean {
  return identity.orgId === null || identity.orgId === orgId;
}

/** Requires the right to act as this workspace: the agent itself, or an administrator of its tenant. */
export function requireWorkspace(identity: Identity, workspace: { id: string; orgId: string }): void {
  if (identity.kind === 'agent' && identity.workspaceId === workspace.id) return;
  if (identity.kind === 'admin' && maySeeOrg(identity, workspace.orgId)) return;
  throw forbidden('this token is not for that workspace');
}

export function requirePerson(identity: Identity): PersonIdentity {
  if (identity.kind !== 'agent') return identity;
  throw forbidden('this needs the token of a person, not of an agent');
}

export function requireAdmin(identity: Identity): PersonIdentity {
  if (identity.kind === 'admin') return identity;
  throw forbidden('this needs an admin token', {
    hint: 'create one with "rouse tokens create --kind admin"',
  });
}

/** Requires the grant: the token has it, or belongs to an administrator of the whole server. */
export function requireGrant(identity: Identity, grant: Grant): void {
  if (identity.kind === 'admin' && identity.orgId === null) return;
  if (identity.kind !== 'agent' && identity.grants.includes(grant)) return;
  throw forbidden(`this needs an administrator of the whole server, or a token with the grant "${grant}"`, {
    hint: `such an administrator creates one: "${commandLine`rouse tokens create --kind user --subject NAME --grant ${grant}`}"`,
    facts: { cause: 'grant_missing', grant },
  });
}

/** Requires an administrator of the whole server, not of one tenant. */
export function requireServerAdmin(identity: Identity): PersonIdentity {
  const admin = requireAdmin(identity);
  if (admin.orgId === null) return admin;
  throw forbidden('this needs the token of an administrator of the whole server, not of one org');
}
