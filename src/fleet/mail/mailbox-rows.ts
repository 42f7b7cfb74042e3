import { forbidden } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type MailPrincipal, OPERATOR } from '../../domain/index.ts';
import { refusal } from '../../wire/index.ts';
import { type AgentIdentity, type Identity, orgFor } from '../identity/index.ts';

export interface MailboxRow {
  id: number;
  org_id: string;
  workspace_id: string | null;
  kind: 'agent' | 'operator';
  address: string;
  principal_id: string;
  display_name: string | null;
  role: string | null;
  active: boolean;
  version: number;
}

export const MAILBOX_COLUMNS =
  'id, org_id, workspace_id, kind, address, principal_id, display_name, role, active, version';

/** Returns the one mailbox that a token reaches. */
export async function ownMailbox(sql: Sql, caller: Identity): Promise<MailboxRow> {
  if (caller.kind !== 'agent') return operatorMailbox(sql, (await orgFor(sql, caller.orgId, undefined)).id);
  const { rows } = await sql.query<MailboxRow>(
    `SELECT ${MAILBOX_COLUMNS} FROM mailboxes WHERE workspace_id = $1::uuid AND active`,
    [caller.workspaceId],
  );
  if (rows[0]) return rows[0];
  throw refusal('mail_no_binding', 'this agent has no mailbox on the fleet server', {
    hint: '"rouse agents mailbox register --mailbox-transport fleet" gives it one',
  });
}

/** Returns the mailbox that the people of an org share: it sends their mail and notes, and receives the replies. */
export async function operatorMailbox(sql: Sql, orgId: string): Promise<MailboxRow> {
  const found = await mailboxAt(sql, orgId, OPERATOR.address);
  if (found) return found;
  await sql.query(
    `INSERT INTO mailboxes (org_id, kind, address, principal_id, display_name, role) VALUES ($1, 'operator', $2, $3, $4, $5)
       ON CONFLICT DO NOTHING`,
    [orgId, OPERATOR.address, OPERATOR.principal_id, OPERATOR.display_name!, OPERATOR.role!],
  );
  return (await mailboxAt(sql, orgId, OPERATOR.address))!;
}

export async function mailboxAt(sql: Sql, orgId: string, address: string): Promise<MailboxRow | undefined> {
  const { rows } = await sql.query<MailboxRow>(
    `SELECT ${MAILBOX_COLUMNS} FROM mailboxes WHERE org_id = $1::uuid AND address = $2 AND retired_at IS NULL`,
    [orgId, address],
  );
  return rows[0];
}

/** By workspace; agents without a mailbox are left out. */
export async function mailVersions(sql: Sql, workspaceIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql.query<MailboxRow & { workspace_id: string }>(
    'SELECT workspace_id, id, version FROM mailboxes WHERE workspace_id = ANY($1::uuid[]) AND active',
    [workspaceIds],
    { prepared: true },
  );
  return new Map(rows.map((row) => [row.workspace_id, versionOf(row)]));
}

export const versionOf = ({ id, version }: Pick<MailboxRow, 'id' | 'version'>): string => `${id}:${version}`;

export function principalOf({ principal_id, address, display_name, role }: MailboxRow): MailPrincipal {
  return {
    principal_id,
    address,
    ...(display_name === null ? {} : { display_name }),
    ...(role === null ? {} : { role }),
  };
}

export function requireAgent(caller: Identity): AgentIdentity {
  if (caller.kind === 'agent') return caller;
  throw forbidden('only the agent itself may do this', {
    hint: 'send the token that registering the agent returned',
  });
}
