/**
 * Tickets: what agents and people ask of each other, and the answers. Tasks and approvals, each with a thread.
 *
 * Promises  The credential decides who asks, writes or answers. The change, its event, its message and the notices to
 *           agents are one transaction. Of two answers at once one wins, the other is a `conflict` with the current row.
 *           An open ticket is never hidden: the most urgent, then the oldest, comes first, in pages.
 * Never     Lets anyone answer what they asked, or see that another tenant exists. Puts anyone's text into a notice.
 * Errors    `not_found`, `forbidden`, `invalid` (own_request, action_not_for_kind, status_unknown), `conflict`
 *           (already_resolved, a key used for other content, an ambiguous recipient).
 */
export { addMessage } from './add-message.ts';
export { cancelOrphans, orphanSweep } from './cancel-orphans.ts';
export { cancelTicket } from './cancel-ticket.ts';
export { createTicket, type NewTicket } from './create-ticket.ts';
export { getThread } from './get-thread.ts';
export { listInbox, listOutgoing, type TicketQuery } from './list-tickets.ts';
export { pageOfTickets } from './page-of-tickets.ts';
export { type RequestForPeople, requestsForPeople } from './requests-for-people.ts';
export { respondTicket } from './respond-ticket.ts';
export { readEvents, TICKETS_CHANNEL } from './ticket-events.ts';
export { ticketRoutes } from './ticket-routes.ts';
