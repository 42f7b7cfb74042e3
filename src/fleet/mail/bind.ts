import { conflict, forbidden } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { agentPrincipal, OPERATOR, parseAddress, type UnregisterMode } from '../../domain/index.ts';
import type { AgentIdentity } from '../identity/index.ts';
import { mailDomain } from './domain.ts';
import { type MailboxRow, mailboxAt, operatorMailbox } from './mailbox-rows.ts';

export interface Binding {
  address?: string | undefined;
  principal_id?: string | undefined;
  role?: string | undefined;
}

export interface Bound {
  address: string;
  principal_id: string;
  domain: string;
  reused: boolean;
}

/**
 * Returns the agent's mailbox; makes it if it does not exist. Address and principal follow from the name under which
 * the agent is registered; a token cannot choose others. Mail left by a removed agent of that name is not in it.
 */
export function bindMailbox(sql: Sql, caller: AgentIdentity, wanted: Binding): Promise<Bound> {
  return sql.transaction(async (tx) => {
    const { rows } = await tx.query<{ name: string }>(
      'SELECT name FROM workspaces WHERE id = $1::uuid FOR UPDATE',
      [caller.workspaceId],
    );
    const name = rows[0]?.name ?? '';
    const domain = await mailDomain(tx, caller.orgId);
    const own = { address: addressOf(name, domain), principal_id: agentPrincipal(name) };
    refuseOthers(own, wanted);
    await refuseTakenPrincipal(tx, caller.orgId, own);
    await operatorMailbox(tx, caller.orgId);
    const there = await mailboxAt(tx, caller.orgId, own.address);
    const reused = there?.workspace_id === caller.workspaceId;
    if (there && !reused) await makeWay(tx, there);
    await tx.query(
      'UPDATE mailboxes SET active = false WHERE workspace_id = $1::uuid AND active AND address <> $2',
      [caller.workspaceId, own.address],
    );
    await tx.query(
      `INSERT INTO mailboxes AS m (org_id, workspace_id, kind, address, principal_id, display_name, role)
         VALUES ($1, $2, 'agent', $3, $4, $5, $6)
         ON CONFLICT (org_id, address) WHERE retired_at IS NULL DO UPDATE SET workspace_id = excluded.workspace_id,
           active = true, principal_id = excluded.principal_id, display_name = excluded.display_name,
           role = coalesce(excluded.role, m.role)`,
      [caller.orgId, caller.workspaceId, own.address, own.principal_id, name, wanted.role ?? null],
    );
    return { ...own, domain, reused };
  });
}

function addressOf(name: string, domain: string): string {
  const local = name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^[_-]+/, '');
  return parseAddress(`${local}@${domain}`, `mail address of agent ${JSON.stringify(name)}`);
}

function refuseOthers(
  own: { address: string; principal_id: string },
  { address, principal_id, role }: Binding,
): void {
  const asked = address === undefined ? undefined : parseAddress(address);
  if (asked !== undefined && asked !== own.address)
    throw notItsOwn(`the mailbox of this agent is ${own.address}, not ${asked}`);
  if (principal_id !== undefined && principal_id !== own.principal_id)
    throw notItsOwn(`this agent is ${own.principal_id}, not ${JSON.stringify(principal_id)}`);
  if (role === OPERATOR.role)
    throw notItsOwn(`the role ${JSON.stringify(role)} is reserved for the operator`);
}

/** Names that differ only in the prefix, and the operator's name, would lead to someone else's principal. */
async function refuseTakenPrincipal(
  tx: Sql,
  orgId: string,
  { address, principal_id }: { address: string; principal_id: string },
): Promise<void> {
  const { rows } = await tx.query(
    'SELECT 1 FROM mailboxes WHERE org_id = $1::uuid AND principal_id = $2 AND address <> $3 AND retired_at IS NULL',
    [orgId, principal_id, address],
  );
  if (!isOperator(principal_id) && rows.length === 0) return;
  throw conflict(`the mail of this agent would go to ${principal_id}, who is someone else`, {
    hint: 'launch this one under another name',
    facts: { cause: 'principal_taken', principal_id },
  });
}

/** Ignores case: no one may pass for the operator. */
const isOperator = (principal: string): boolean =>
  principal.toLowerCase() === OPERATOR.principal_id.toLowerCase();

function notItsOwn(message: string): Error {
  return forbidden(message, {
    hint: 'leave address, principal and role out: on a fleet server they follow from the name of the agent',
    facts: { cause: 'not_its_own' },
  });
}

/** An address stays with its agent for as long as the fleet has that agent. */
async function makeWay(tx: Sql, { id, kind, workspace_id, address }: MailboxRow): Promise<void> {
  const { rows } = await tx.query(`SELECT 1 FROM workspaces WHERE id = $1::uuid AND status <> 'removed'`, [
    workspace_id,
  ]);
  if (kind !== 'agent' || rows.length > 0) {
    throw conflict(`the address ${address} belongs to another agent`, {
      hint: 'launch this one under another name, or remove that agent with "rouse fleet remove NAME"',
      facts: { cause: 'address_taken', address },
    });
  }
  await tx.query('UPDATE mailboxes SET active = false, retired_at = now() WHERE id = $1', [id]);
}

/** Returns null if it had none. */
export async function unbindMailbox(
  sql: Sql,
  { workspaceId }: AgentIdentity,
  mode: UnregisterMode,
): Promise<string | null> {
  const change = mode === 'purge' ? 'DELETE FROM mailboxes' : 'UPDATE mailboxes SET active = false';
  const { rows } = await sql.query<{ address: string }>(
    `${change} WHERE workspace_id = $1::uuid AND active RETURNING address`,
    [workspaceId],
  );
  return rows[0]?.address ?? null;
}
