import type { Sql } from '../../db/index.ts';
import { ALIVE_WORKSPACES, sqlList } from '../../domain/index.ts';
import { claim, claimAtOnce, DELIVERY_CHANNEL, type DispatchGuards, type Leased } from '../delivery/index.ts';
import { isLiveToken, requireLive } from '../identity/index.ts';

export interface BeatOptions {
  leaseSeconds: number;
  guards?: DispatchGuards | undefined;
}

interface Holder {
  workspaceId: string;
  sessionId: string;
}

interface HeldHolder extends Holder {
  /** The token that the heartbeat came with. */
  tokenId: string;
}

/**
 * Hands out as many messages as the agent has room for: its capacity minus what it works on and what it was handed and
 * has not acknowledged. The workspace stays locked, so two heartbeats at once do not fill the same room, and a pause or
 * a newer session comes before or after, never between. Call it inside a transaction.
 */
export async function handOut(tx: Sql, holder: Holder, options: BeatOptions): Promise<Leased[]> {
  const { rows } = await tx.query<{ room: number }>(ROOM, [holder.workspaceId, holder.sessionId], {
    prepared: true,
  });
  return claimFor(tx, holder, options, rows[0]?.room);
}

/**
 * The same on its own, for a heartbeat that may have been held; `unauthorized` if its token was revoked in the
 * meantime.
 */
export async function handOutLater(sql: Sql, holder: HeldHolder, options: BeatOptions): Promise<Leased[]> {
  const leased = await claimAtOnce(sql, { ...holder, ...options });
  if (leased) return leased;
  const values = [holder.workspaceId, holder.sessionId, holder.tokenId];
  return sql.transaction(async (tx) => {
    const { rows } = await tx.query<{ room: number }>(LIVE_ROOM, values, { prepared: true });
    // If the token is the reason for the refusal, say so.
    if (!rows[0]) await requireLive(tx, holder.tokenId);
    return claimFor(tx, holder, options, rows[0]?.room);
  });
}

async function claimFor(
  tx: Sql,
  { workspaceId, sessionId }: Holder,
  { leaseSeconds, guards }: BeatOptions,
  capacity = 0,
): Promise<Leased[]> {
  if (capacity <= 0) return [];
  return claim(tx, { workspaceId, sessionId, capacity, leaseSeconds, ...(guards && { guards }) });
}

const roomOf = (condition: string): string => `
  SELECT max_concurrent_tasks - active_tasks - (SELECT count(*)::int FROM a2a_queue q
      WHERE q.workspace_id = w.id AND q.status = 'dispatched' AND q.lease_until > now()) AS room
    FROM workspaces w WHERE id = $1::uuid AND session_id = $2 AND accepting AND status IN ${sqlList(ALIVE_WORKSPACES)}
      AND ${condition} FOR UPDATE`;
const ROOM = roomOf('true');
const LIVE_ROOM = roomOf(isLiveToken('$3::uuid'));

/** Makes held heartbeats look again: at messages, and at whether they may still wait. */
export async function wakeHeldBeats(sql: Sql, workspaceId: string): Promise<void> {
  await sql.query(`SELECT pg_notify('${DELIVERY_CHANNEL}', $1)`, [workspaceId]);
}
