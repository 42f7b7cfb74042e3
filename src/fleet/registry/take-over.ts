import { conflict, forbidden } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { SERVER_SETTINGS } from '../../domain/index.ts';
import type { Identity } from '../identity/index.ts';

export interface TakeOver {
  orgId: string;
  agentId: string;
  name: string;
  sessionId: string;
  by: Identity;
  takeOver?: boolean | undefined;
  livenessSeconds?: number | undefined;
}

interface Owned {
  workspace_id: string;
  name: string;
  owner: string | null;
}

interface Holder extends Owned {
  session_id: string;
  host: string | null;
  host_id: string | null;
  registered_at: Date;
  last_heartbeat_at: Date | null;
  age: number;
  beating: boolean;
}

/**
 * Only its owner, an administrator or the agent itself may register an agent again, whether it is online or not:
 * registering returns the token that speaks for it. A session that still sends heartbeats is replaced only on request.
 * The row stays locked, so two at once come one after the other.
 */
export async function refuseTakeOver(tx: Sql, wanted: TakeOver): Promise<void> {
  await refuseTakenName(tx, wanted);
  const { rows } = await tx.query<Holder>(
    `SELECT id AS workspace_id, name, session_id, host, host_id, owner, registered_at, last_heartbeat_at,
        round(extract(epoch FROM now() - last_heartbeat_at))::int AS age,
        left_at IS NULL AND session_id IS NOT NULL
          AND coalesce(last_heartbeat_at > now() - make_interval(secs => $3::float8), false) AS beating
       FROM workspaces WHERE org_id = $1::uuid AND agent_id = $2 AND status <> 'removed' FOR UPDATE`,
    [wanted.orgId, wanted.agentId, wanted.livenessSeconds ?? SERVER_SETTINGS.livenessSeconds.fallback],
  );
  const holder = rows[0];
  if (!holder) return;
  if (!mayReplace(wanted.by, holder)) throw notItsOwner(holder);
  if (!holder.beating || holder.session_id === wanted.sessionId || wanted.takeOver) return;
  const where = holder.host ? ` on host ${holder.host}` : '';
  throw conflict(
    `agent ${holder.name} is already running${where}: session ${holder.session_id}, registered ${holder.registered_at.toISOString()}, last heartbeat ${holder.age} s ago`,
    {
      hint: 'names are shared by the whole org: take another, stop that agent, or take its place with --take-over',
      facts: {
        cause: 'agent_online_elsewhere',
        workspace_id: holder.workspace_id,
        session_id: holder.session_id,
        host: holder.host,
        host_id: holder.host_id,
        since: holder.registered_at.toISOString(),
        last_heartbeat_at: holder.last_heartbeat_at?.toISOString(),
      },
    },
  );
}

/**
 * A name belongs to its owner under every agent id: another agent of that name could take its mail address, and calls
 * by name would be refused as ambiguous.
 */
async function refuseTakenName(tx: Sql, { orgId, agentId, name, by }: TakeOver): Promise<void> {
  const { rows } = await tx.query<Owned>(
    `SELECT id AS workspace_id, name, owner FROM workspaces
       WHERE org_id = $1::uuid AND name = $2 AND agent_id <> $3 AND status <> 'removed'`,
    [orgId, name, agentId],
  );
  const foreign = rows.find((namesake) => !mayReplace(by, namesake));
  if (foreign) throw notItsOwner(foreign);
}

function notItsOwner({ name, owner, workspace_id }: Owned): Error {
  return forbidden(`agent ${name} belongs to ${owner ?? 'someone else'}`, {
    hint: 'its owner or an administrator may register it again; otherwise choose another agent name',
    facts: { cause: 'not_its_owner', workspace_id },
  });
}

function mayReplace(by: Identity, { workspace_id, owner }: Owned): boolean {
  if (by.kind === 'agent') return by.workspaceId === workspace_id;
  return by.kind === 'admin' || by.userId === owner;
}
