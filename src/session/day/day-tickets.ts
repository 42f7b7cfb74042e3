import { type FleetClient, fleetClientOf, sessionFleet, TicketsClient } from '../../client/index.ts';
import { cleanLine, type DayTicket } from '../../domain/index.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import type { DaySpan } from './day-span.ts';

const MAX_TICKETS = 200;
const MAX_TITLE = 300;
const TIMEOUT_MS = 3000;

/** The requests of one session on the fleet server it is registered with, seen by the agent itself. None without a server. */
export async function sessionTickets(facts: ManifestFacts, span: DaySpan): Promise<DayTicket[]> {
  const place = sessionFleet(facts.root);
  if (place === undefined) return [];
  const fleet: FleetClient = fleetClientOf(place);
  const tickets = new TicketsClient(fleet, place.workspaceId);
  const page = { limit: MAX_TICKETS, status: 'all' };
  const options = { timeoutMs: TIMEOUT_MS };
  const [asked, asks] = await Promise.all([tickets.inbox(page, options), tickets.sent(page, options)]);
  const found = [
    ...asked.requests.map((each) => ticketOf(each, 'is_asked')),
    ...asks.requests.map((each) => ticketOf(each, 'asks')),
  ];
  const at = ({ at_utc }: DayTicket): number => Date.parse(at_utc);
  return found.filter((each) => at(each) >= Date.parse(span.fromUtc) && at(each) <= Date.parse(span.toUtc));
}

interface Ticket {
  id: string;
  title: string;
  status: string;
  created_at: string;
}

function ticketOf({ id, title, status, created_at }: Ticket, direction: DayTicket['direction']): DayTicket {
  return { at_utc: created_at, request_id: id, direction, title: cleanLine(title, MAX_TITLE), status };
}
