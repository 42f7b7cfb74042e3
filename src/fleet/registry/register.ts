import { conflict, newUuid } from '../../base/index.ts';
import { asJson, type Sql } from '../../db/index.ts';
import { limit, limitHint } from '../../domain/index.ts';
import { giveUpTurns } from '../delivery/index.ts';
import { createToken, type Identity, revokeTokensOf } from '../identity/index.ts';
import { wakeHeldBeats } from './hand-out.ts';
import { refuseTakeOver } from './take-over.ts';

export interface Registration {
  orgId: string;
  agentId: string;
  name: string;
  tool?: string | undefined;
  sessionId: string;
  host?: string | undefined;
  hostId?: string | undefined;
  version?: string | undefined;
  /** The caller; undefined: the server itself, which may do everything. */
  by?: Identity | undefined;
  takeOver?: boolean | undefined;
  /** Without a heartbeat for this long, a session is gone. */
  livenessSeconds?: number | undefined;
  gateway?: Record<string, unknown> | undefined;
  maxConcurrentTasks?: number | undefined;
  parentId?: string | undefined;
}

export interface RegisteredWorkspace {
  workspaceId: string;
  status: 'provisioning' | 'paused';
  token: string;
}

const REGISTERED = `CASE WHEN w.status = 'paused' THEN 'paused' ELSE 'provisioning' END`;

/**
 * Registers an agent, or moves the agent of that id to a new session: its older tokens end, so an older session can
 * neither send heartbeats nor take messages. A session that still sends heartbeats is replaced only by those who may,
 * and only when they ask for it. The agent is online with its first heartbeat; a paused one stays paused.
 */
export function registerWorkspace(sql: Sql, wanted: Registration): Promise<RegisteredWorkspace> {
  return sql.transaction(async (tx) => {
    await lockNameAndId(tx, wanted);
    if (wanted.by) await refuseTakeOver(tx, { ...wanted, by: wanted.by });
    await refuseOneTooMany(tx, wanted);
    const { rows } = await tx.query<{ id: string; status: 'provisioning' | 'paused' }>(
      `INSERT INTO workspaces AS w (id, org_id, parent_id, agent_id, name, tool, session_id, gateway,
           max_concurrent_tasks, host, owner, host_id, version)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
       ON CONFLICT (org_id, agent_id) WHERE status <> 'removed' DO UPDATE SET
         parent_id = coalesce(excluded.parent_id, w.parent_id), name = excluded.name,
         tool = coalesce(excluded.tool, w.tool), session_id = excluded.session_id, gateway = excluded.gateway,
         host = excluded.host, host_id = excluded.host_id, version = excluded.version, standing = NULL, owner = coalesce(excluded.owner, w.owner), left_at = NULL,
         last_heartbeat_at = CASE WHEN w.session_id = excluded.session_id THEN w.last_heartbeat_at END,
         max_concurrent_tasks = excluded.max_concurrent_tasks, active_tasks = 0, current_task = NULL, error_rate = 0,
         sample_error = NULL, registered_at = now(), instance_id = NULL, beat = 0, accepting = true,
         status = ${REGISTERED}, status_changed_at = CASE WHEN w.status = ${REGISTERED} THEN w.status_changed_at ELSE now() END
       RETURNING id, status`,
      [
        newUuid(),
        wanted.orgId,
        wanted.parentId ?? null,
        wanted.agentId,
        wanted.name,
        wanted.tool ?? null,
        wanted.sessionId,
        wanted.gateway ? asJson(wanted.gateway) : null,
        wanted.maxConcurrentTasks ?? 1,
        wanted.host ?? null,
        ownerOf(wanted.by),
        wanted.hostId ?? null,
        wanted.version ?? null,
      ],
    );
    const { id, status } = rows[0]!;
    await revokeTokensOf(tx, id, { replaced: true });
    await giveUpTurns(tx, {
      workspaceId: id,
      sessionId: wanted.sessionId,
      detail: 'another session replaced the one that had it',
    });
    await wakeHeldBeats(tx, id);
    const { token } = await createToken(tx, {
      kind: 'agent',
      orgId: wanted.orgId,
      workspaceId: id,
      subject: wanted.name,
    });
    return { workspaceId: id, status, token };
  });
}

/**
 * Registrations of one name or agent id run one after the other, also while no row has them yet: each sees whose they are.
 * The locks end with the transaction.
 */
async function lockNameAndId(tx: Sql, { orgId, agentId, name }: Registration): Promise<void> {
  const keys = [`agent-id:${orgId}:${agentId}`, `agent-name:${orgId}:${name}`];
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended(key, 0)) FROM unnest($1::text[]) AS key', [
    keys,
  ]);
}

async function refuseOneTooMany(tx: Sql, { orgId, agentId }: Registration): Promise<void> {
  const { rows } = await tx.query(
    `SELECT 1 FROM workspaces WHERE org_id = $1::uuid AND status <> 'removed' AND NOT EXISTS (SELECT FROM workspaces
        WHERE org_id = $1::uuid AND agent_id = $2 AND status <> 'removed') OFFSET $3::int LIMIT 1`,
    [orgId, agentId, limit('agentsPerOrg') - 1],
  );
  if (rows.length === 0) return;
  throw conflict(`the org has ${limit('agentsPerOrg')} agents`, {
    hint: limitHint('agentsPerOrg'),
    facts: { cause: 'quota', limit: 'agentsPerOrg' },
  });
}

/** The person who registered it; an agent that registers itself keeps its owner. */
function ownerOf(by: Identity | undefined): string | null {
  return by && by.kind !== 'agent' ? by.userId : null;
}
