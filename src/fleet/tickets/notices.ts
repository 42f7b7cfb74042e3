import { newUuid } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { DELIVERY_PRIORITY, messageBody, type NewDelivery } from '../delivery/index.ts';
import type { Party } from '../identity/index.ts';
import { OPEN, recipientOf, requesterOf, sameParty, type TicketRow, UUID } from './ticket-row.ts';

/** Queues a message for an agent, inside the caller's transaction (delivery/). */
export type Enqueue = (sql: Sql, message: NewDelivery) => Promise<unknown>;

type What = 'created' | 'message' | 'responded' | 'cancelled' | 'recipient_removed';

/** The text for the agent: counts, ids and words of ours, never what others wrote. */
const SENTENCES: Record<What, (row: TicketRow, open: string) => string> = {
  created: ({ id, kind }, open) =>
    `A new inbox request (${kind}, ${id}) is addressed to you; ${open}. Read it with get_request or list_inbox, then answer with respond_request, or ask with add_request_message.`,
  message: ({ id, status }, open) =>
    `There is a new message on request ${id} (now ${status}); ${open}. Read it with get_request and reply with add_request_message.`,
  responded: ({ id, status }, open) =>
    `Request ${id} was answered: ${status}; ${open}. Read the answer with get_request; check_requests lists all you asked.`,
  cancelled: ({ id }, open) =>
    `Request ${id} was cancelled; nothing more is to be done for it; ${open}. list_inbox shows what is left.`,
  recipient_removed: ({ id }, open) =>
    `Request ${id} was cancelled: the agent you asked was removed from the fleet. Ask someone else with create_request if it still matters; ${open}.`,
};

/** Notifies both sides except the one who acted; only agents are notified, people look on their own. */
export async function notify(
  sql: Sql,
  enqueue: Enqueue,
  { what, row, actor, key }: { what: What; row: TicketRow; actor: Party; key: string },
): Promise<void> {
  for (const side of [requesterOf(row), recipientOf(row)]) {
    if (side.type !== 'agent' || !UUID.test(side.id) || sameParty(side, actor)) continue;
    const open = await openInbox(sql, side.id);
    if (open === undefined) continue;
    await enqueue(sql, {
      orgId: row.org_id,
      workspaceId: side.id,
      priority: DELIVERY_PRIORITY.info,
      method: 'message/send',
      idempotencyKey: key,
      body: messageBody({
        messageId: `request-notice-${newUuid()}`,
        text: SENTENCES[what](row, waiting(open)),
        metadata: { source: 'platform', kind: `request_${what}`, request_id: row.id },
      }),
    });
  }
}

/** The announcement of a closed ticket is not worth delivering any more. */
export async function dropAnnouncement(sql: Sql, row: TicketRow): Promise<void> {
  if (row.recipient_type !== 'agent' || !UUID.test(row.recipient_id)) return;
  await sql.query(
    `UPDATE a2a_queue SET status = 'dropped', completed_at = now(), last_error = 'the request was closed before'
      WHERE workspace_id = $1 AND idempotency_key = $2 AND status = 'queued'`,
    [row.recipient_id, `request-created:${row.id}`],
  );
}

/** Returns how many wait in an agent's inbox; undefined if the agent was removed. */
async function openInbox(sql: Sql, workspaceId: string): Promise<number | undefined> {
  const { rows } = await sql.query<{ open: number }>(
    `SELECT (SELECT count(*) FROM requests r WHERE r.org_id = w.org_id AND r.recipient_type = 'agent'
                AND r.recipient_id = w.id::text AND r.status IN ${OPEN}) AS open
       FROM workspaces w WHERE w.id = $1 AND w.status <> 'removed'`,
    [workspaceId],
  );
  return rows[0]?.open;
}

const waiting = (open: number): string =>
  `your inbox holds ${open} open ${open === 1 ? 'request' : 'requests'}`;
