import { forbidden } from '../../base/index.ts';
import type { SqlValue } from '../../db/index.ts';
import { answersOf } from '../../domain/index.ts';
import { type RespondRequestBody, refusal } from '../../wire/index.ts';
import { type Identity, type Party, partyOf } from '../identity/index.ts';
import { recipientOf, requesterOf, sameParty, type TicketRow } from './ticket-row.ts';

/**
 * Who may do what with a ticket of their own tenant. An agent: what it asked or was asked. A person: what they asked
 * and what people are asked, since any person of the org may answer for all. An administrator: everything but answering
 * their own.
 */
export function requireParty(caller: Identity, row: TicketRow): void {
  if (caller.kind === 'admin' || isRequester(caller, row) || isRecipient(caller, row)) return;
  throw forbidden('this request is neither from you nor to you');
}

export function requireAnswerer(caller: Identity, row: TicketRow): void {
  if (isRequester(caller, row)) {
    throw refusal('own_request', 'you cannot answer your own request', {
      hint: 'cancel it if it is no longer needed; add a message to say more',
    });
  }
  if (caller.kind === 'admin' || isRecipient(caller, row)) return;
  throw forbidden('only its recipient may answer this request');
}

export function requireCanceller(caller: Identity, row: TicketRow): void {
  if (caller.kind === 'admin' || isRequester(caller, row)) return;
  throw forbidden('only its requester may cancel this request', {
    hint: 'answer it with "rejected" to turn it down',
  });
}

export function requireActionForKind({ kind }: TicketRow, action: RespondRequestBody['action']): void {
  const allowed = answersOf(kind);
  if (allowed.includes(action)) return;
  throw refusal(
    'action_not_for_kind',
    `a request of kind ${kind} is answered by ${allowed.join(' or ')}, not ${action}`,
  );
}

export function isRequester(caller: Identity, row: TicketRow): boolean {
  return sameParty(partyOf(caller), requesterOf(row));
}

function isRecipient(caller: Identity, row: TicketRow): boolean {
  if (caller.kind === 'agent') return sameParty(partyOf(caller), recipientOf(row));
  if (row.recipient_type !== 'user') return false;
  // A page link has no org here; the page checks it. Its holder answers what is asked of them by name, or of anyone.
  return caller.orgId !== null || row.recipient_id === '' || row.recipient_id === caller.userId;
}

/** requireParty for lists: a condition over `requests r` whose parameters begin at `$first`. */
export function visibleTo(caller: Identity, first: number): { condition: string; params: SqlValue[] } {
  const { id }: Party = partyOf(caller);
  const [org, own] = [`$${first}::uuid`, `$${first + 1}::text`];
  const within = `(${org} IS NULL OR r.org_id = ${org})`;
  const params = [caller.orgId, id];
  if (caller.kind === 'admin') return { condition: `${within} AND ${own} IS NOT NULL`, params };
  const mine =
    caller.kind === 'agent'
      ? `((r.requester_type = 'agent' AND r.requester_id = ${own}) OR (r.recipient_type = 'agent' AND r.recipient_id = ${own}))`
      : `((r.requester_type = 'user' AND r.requester_id = ${own}) OR r.recipient_type = 'user')`;
  return { condition: `${within} AND ${mine}`, params };
}
