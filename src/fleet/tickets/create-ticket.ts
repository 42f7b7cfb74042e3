import { conflict, newUuid } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type CreateRequestBody, refusal } from '../../wire/index.ts';
import { type Identity, type Party, partyOf } from '../identity/index.ts';
import { findRecipient } from './find-recipient.ts';
import { type Enqueue, notify } from './notices.ts';
import { recordEvent } from './ticket-events.ts';
import { recipientOf, SELECT_TICKET, sameParty, type TicketRow } from './ticket-row.ts';

export interface NewTicket extends Omit<CreateRequestBody, 'org_id'> {
  /** The tenant of the ticket. */
  orgId: string;
}

/**
 * Creates a ticket and notifies an agent that was asked. With a key that was used before, returns the existing ticket
 * (`created` false); the same key with other content is a `conflict`.
 */
export function createTicket(
  sql: Sql,
  enqueue: Enqueue,
  { caller, wanted }: { caller: Identity; wanted: NewTicket },
): Promise<{ row: TicketRow; created: boolean }> {
  const requester = partyOf(caller);
  return sql.transaction(async (tx) => {
    const recipient = await findRecipient(tx, wanted.orgId, wanted);
    if (sameParty(requester, recipient))
      throw refusal('own_request', 'you cannot send a request to yourself');
    const id = await insert(tx, { requester, recipient, wanted });
    if (id === undefined)
      return { row: await existing(tx, { requester, recipient, wanted }), created: false };
    const row = (await tx.query<TicketRow>(`${SELECT_TICKET} WHERE r.id = $1`, [id])).rows[0]!;
    await notify(tx, enqueue, { what: 'created', row, actor: requester, key: `request-created:${id}` });
    await recordEvent(tx, {
      ticketId: id,
      orgId: wanted.orgId,
      type: 'REQUEST_CREATED',
      actor: requester,
      from: null,
      to: 'pending',
    });
    return { row, created: true };
  });
}

interface TicketParts {
  requester: Party;
  recipient: Party;
  wanted: NewTicket;
}

/** Returns its id, or undefined if the key is taken. */
async function insert(sql: Sql, { requester, recipient, wanted }: TicketParts): Promise<string | undefined> {
  const { rows } = await sql.query<{ id: string }>(
    `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id,
                           recipient_workspace_id, title, detail, priority, idempotency_key)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     ON CONFLICT (org_id, requester_type, requester_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
     RETURNING id`,
    [
      newUuid(),
      wanted.orgId,
      wanted.kind,
      requester.type,
      requester.id,
      recipient.type,
      recipient.id,
      recipient.type === 'agent' ? recipient.id : null,
      wanted.title,
      wanted.detail,
      wanted.priority,
      wanted.idempotency_key ?? null,
    ],
  );
  return rows[0]?.id;
}

async function existing(sql: Sql, { requester, recipient, wanted }: TicketParts): Promise<TicketRow> {
  const { rows } = await sql.query<TicketRow>(
    `${SELECT_TICKET} WHERE r.org_id = $1 AND r.requester_type = $2 AND r.requester_id = $3 AND r.idempotency_key = $4`,
    [wanted.orgId, requester.type, requester.id, wanted.idempotency_key ?? null],
  );
  const row = rows[0]!;
  const same =
    sameParty(recipientOf(row), recipient) &&
    (['kind', 'title', 'detail', 'priority'] as const).every((field) => row[field] === wanted[field]);
  if (same) return row;
  throw conflict('this idempotency_key was used for another request', {
    hint: 'use a new key for a new request',
    facts: { request_id: row.id },
  });
}
