import type { Sql } from '../../db/index.ts';
import type { Party } from '../identity/index.ts';
import type { Sweep } from '../sweep/index.ts';
import { type Enqueue, notify } from './notices.ts';
import { close } from './respond-ticket.ts';
import { recordEvent } from './ticket-events.ts';
import { OPEN, SELECT_TICKET, type TicketRow } from './ticket-row.ts';

export const RECIPIENT_REMOVED = 'recipient_removed';

const BATCH = 100;

const ORPHANED = `r.status IN ${OPEN} AND r.recipient_type = 'agent' AND EXISTS (SELECT FROM workspaces w
  WHERE w.id = r.recipient_workspace_id AND w.status = 'removed')`;

/**
 * Cancels the open tickets to removed agents, since no one can answer them. The requesters are notified. A batch is one
 * transaction, so the backlog of a busy agent blocks no one; the next pass finds what a crash leaves over.
 */
export async function cancelOrphans(
  sql: Sql,
  enqueue: Enqueue,
  { workspaceId, signal }: { workspaceId?: string; signal?: AbortSignal } = {},
): Promise<number> {
  for (let cancelled = 0; ; ) {
    const count = await sql.transaction((tx) => cancelBatch(tx, enqueue, workspaceId));
    cancelled += count;
    if (count < BATCH || signal?.aborted) return cancelled;
  }
}

async function cancelBatch(tx: Sql, enqueue: Enqueue, workspaceId: string | undefined): Promise<number> {
  const { rows } = await tx.query<TicketRow>(
    `${SELECT_TICKET} WHERE ${ORPHANED} AND ($1::uuid IS NULL OR r.recipient_workspace_id = $1)
      ORDER BY r.id LIMIT ${BATCH} FOR UPDATE OF r SKIP LOCKED`,
    [workspaceId ?? null],
  );
  const removed = (row: TicketRow): Party => ({ type: 'agent', id: row.recipient_workspace_id! });
  for (const row of rows) {
    const actor = removed(row);
    await close(tx, { id: row.id, status: 'cancelled', by: actor, reason: RECIPIENT_REMOVED });
    await notify(tx, enqueue, { what: RECIPIENT_REMOVED, row, actor, key: `request-cancelled:${row.id}` });
  }
  for (const row of rows) {
    await recordEvent(tx, {
      ticketId: row.id,
      orgId: row.org_id,
      type: 'REQUEST_CANCELLED',
      actor: removed(row),
      from: row.status,
      to: 'cancelled',
      data: { reason: RECIPIENT_REMOVED },
    });
  }
  return rows.length;
}

/** Cancels what the removal itself could not finish, and older leftovers. */
export function orphanSweep(enqueue: Enqueue): Sweep {
  return {
    name: 'orphaned-requests',
    summary: 'Cancels open requests to agents that were removed, and notifies the requesters',
    intervalMs: 60_000,
    mayHaveWork: async (sql) => (await countOrphans(sql)) > 0,
    run: async ({ sql, dryRun, signal }) => ({
      cancelled: dryRun ? await countOrphans(sql) : await cancelOrphans(sql, enqueue, { signal }),
    }),
  };
}

async function countOrphans(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (SELECT FROM requests r WHERE ${ORPHANED} LIMIT 1000) found`,
  );
  return rows[0]!.count;
}
