import { conflict, invalid } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { localPart, OPERATOR, parseAddress } from '../../domain/index.ts';
import type { AgentIdentity } from '../identity/index.ts';
import { mailDomain } from './domain.ts';
import { type MailboxRow, mailboxAt, operatorMailbox } from './mailbox-rows.ts';

export interface Binding {
  address?: string | undefined;
  principal_id: string;
  display_name?: string | undefined;
  role?: string | undefined;
}

export interface Bound {
  address: string;
  principal_id: string;
  domain: string;
  reused: boolean;
}

/**
 * The agent's mailbox, made when it is not there. An address stays with its agent: another one gets it only after that
 * agent was removed from the fleet, and an agent that takes another address leaves the one it had.
 */
export function bindMailbox(sql: Sql, caller: AgentIdentity, wanted: Binding): Promise<Bound> {
  return sql.transaction(async (tx) => {
    const { rows } = await tx.query<{ name: string }>(
      'SELECT name FROM workspaces WHERE id = $1::uuid FOR UPDATE',
      [caller.workspaceId],
    );
    const domain = await mailDomain(tx, caller.orgId);
    const address = addressIn(domain, wanted.address, rows[0]?.name ?? '');
    await operatorMailbox(tx, caller.orgId);
    const there = await mailboxAt(tx, caller.orgId, address);
    if (there && !(await mayHave(tx, there, caller))) throw taken(address);
    await tx.query(
      'UPDATE mailboxes SET active = false WHERE workspace_id = $1::uuid AND active AND address <> $2',
      [caller.workspaceId, address],
    );
    const { rows: bound } = await tx.query<Pick<MailboxRow, 'principal_id'>>(
      `INSERT INTO mailboxes AS m (org_id, workspace_id, kind, address, principal_id, display_name, role)
         VALUES ($1, $2, 'agent', $3, $4, $5, $6)
         ON CONFLICT (org_id, address) DO UPDATE SET workspace_id = excluded.workspace_id, active = true,
           principal_id = excluded.principal_id, display_name = coalesce(excluded.display_name, m.display_name),
           role = coalesce(excluded.role, m.role)
         RETURNING principal_id`,
      [
        caller.orgId,
        caller.workspaceId,
        address,
        wanted.principal_id,
        wanted.display_name ?? null,
        wanted.role ?? null,
      ],
    );
    return { address, domain, principal_id: bound[0]!.principal_id, reused: there !== undefined };
  });
}

/** Its own, or that of an agent the fleet no longer has. */
async function mayHave(sql: Sql, mailbox: MailboxRow, { workspaceId }: AgentIdentity): Promise<boolean> {
  if (mailbox.kind !== 'agent') return false;
  if (mailbox.workspace_id === null || mailbox.workspace_id === workspaceId) return true;
  const { rows } = await sql.query(`SELECT 1 FROM workspaces WHERE id = $1::uuid AND status <> 'removed'`, [
    mailbox.workspace_id,
  ]);
  return rows.length === 0;
}

function addressIn(domain: string, given: string | undefined, agentName: string): string {
  if (given === undefined) {
    const local = agentName.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^[_-]+/, '');
    return parseAddress(`${local}@${domain}`, `mail address of agent ${JSON.stringify(agentName)}`);
  }
  const address = parseAddress(given);
  if (!address.endsWith(`@${domain}`)) {
    throw invalid(
      `the addresses of this fleet end with @${domain}, not ${address.slice(address.indexOf('@'))}`,
      {
        hint: `use ${localPart(address)}@${domain}, or leave the address out`,
      },
    );
  }
  if (address === OPERATOR.address) throw taken(address);
  return address;
}

function taken(address: string): Error {
  return conflict(`the address ${address} is that of another agent`, {
    hint: 'choose another one with --mailbox-address, or remove that agent with "rouse fleet remove"',
    facts: { cause: 'address_taken', address },
  });
}

/** Null: it had none. */
export async function unbindMailbox(
  sql: Sql,
  { workspaceId }: AgentIdentity,
  mode: 'deactivate' | 'purge',
): Promise<string | null> {
  const change = mode === 'purge' ? 'DELETE FROM mailboxes' : 'UPDATE mailboxes SET active = false';
  const { rows } = await sql.query<{ address: string }>(
    `${change} WHERE workspace_id = $1::uuid AND active RETURNING address`,
    [workspaceId],
  );
  return rows[0]?.address ?? null;
}
