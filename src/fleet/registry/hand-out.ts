import type { Sql } from '../../db/index.ts';
import { claim, type DispatchGuards, type Leased } from '../delivery/index.ts';

export interface BeatOptions {
  leaseSeconds: number;
  guards?: DispatchGuards | undefined;
}

interface Holder {
  workspaceId: string;
  sessionId: string;
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

/** The same on its own, for a beat that is being held. */
export function handOutLater(sql: Sql, holder: Holder, options: BeatOptions): Promise<Leased[]> {
  return sql.transaction((tx) => handOut(tx, holder, options));
}
