import type { Sql } from '../../db/index.ts';
import { claim, DELIVERY_CHANNEL, type DispatchGuards, type Leased } from '../delivery/index.ts';
import { requireLive } from '../identity/index.ts';

export interface BeatOptions {
  leaseSeconds: number;
  guards?: DispatchGuards | undefined;
}

interface Holder {
  workspaceId: string;
  sessionId: string;
}

interface HeldHolder extends Holder {
  /** The token the beat came with. */
  tokenId: string;
}

/**
 * Messages for the agent, as many as it has room for: its capacity less what it works on and what it was given and has
 * not answered for. The workspace is locked meanwhile, so that two beats at once do not fill the same room, and a pause
 * or a newer session comes before or after, never between. Call it inside a transaction.
 */
export async function handOut(
  tx: Sql,
  holder: Holder,
  { leaseSeconds, guards }: BeatOptions,
): Promise<Leased[]> {
  const { rows } = await tx.query<{ room: number }>(
    `SELECT max_concurrent_tasks - active_tasks - (SELECT count(*)::int FROM a2a_queue q
         WHERE q.workspace_id = w.id AND q.status = 'dispatched' AND q.lease_until > now()) AS room
       FROM workspaces w WHERE id = $1::uuid AND session_id = $2 AND accepting AND status IN ('online', 'degraded')
       FOR UPDATE`,
    [holder.workspaceId, holder.sessionId],
  );
  const capacity = rows[0]?.room ?? 0;
  if (capacity <= 0) return [];
  return claim(tx, { ...holder, capacity, leaseSeconds, ...(guards && { guards }) });
}

/** The same for a beat that is being held; `unauthorized` when its token was revoked meanwhile. */
export function handOutLater(sql: Sql, holder: HeldHolder, options: BeatOptions): Promise<Leased[]> {
  return sql.transaction(async (tx) => {
    await requireLive(tx, holder.tokenId);
    return handOut(tx, holder, options);
  });
}

/** Has held beats look again: at messages, and at whether they are still welcome. */
export async function wakeHeldBeats(sql: Sql, workspaceId: string): Promise<void> {
  await sql.query(`SELECT pg_notify('${DELIVERY_CHANNEL}', $1)`, [workspaceId]);
}
