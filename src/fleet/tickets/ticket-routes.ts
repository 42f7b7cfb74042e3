import type { Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { type Clock, nearest } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { TICKET_FILTERS } from '../../domain/index.ts';
import { type Call, serve } from '../../http/index.ts';
import {
  prefixed,
  REQUEST_ROUTES,
  refusal,
  type WaitsView,
  WORKSPACE_REQUEST_ROUTES,
} from '../../wire/index.ts';
import type { HeldPlaces } from '../held-places.ts';
import { type Identity, requirePerson } from '../identity/index.ts';
import { addMessage } from './add-message.ts';
import { cancelTicket } from './cancel-ticket.ts';
import { createTicket } from './create-ticket.ts';
import { getThread } from './get-thread.ts';
import { listInbox, listOutgoing, listVisible, type TicketQuery } from './list-tickets.ts';
import { LiveTickets } from './live-tickets.ts';
import type { Enqueue } from './notices.ts';
import { respondTicket } from './respond-ticket.ts';
import { newestEvent } from './ticket-events.ts';
import { agentScope, ownScope, requireOrg, type Scope } from './ticket-scope.ts';

export interface TicketsDeps {
  sql: Sql;
  clock: Clock;
  /** Queues a notice for an agent (delivery/). */
  enqueue: Enqueue;
  /** Who waits for whom in an org (waits/). */
  waits: (orgId: string) => Promise<WaitsView>;
  /** Ends the live streams. */
  stopping: AbortSignal;
  held: HeldPlaces;
  /** Returns the caller, by the token. */
  callerOf: (context: Context) => Identity;
}

/** The routes of people and of agents: the same ones under two roots. Call `close` when the server ends. */
export function ticketRoutes(app: Hono, deps: TicketsDeps): { close(): Promise<void> } {
  const { sql, callerOf } = deps;
  const live = new LiveTickets(sql, deps.clock);
  serve(app, REQUEST_ROUTES, {
    'requests.pending': (call) => pending(call, deps),
    'requests.waits': async ({ context, query }) =>
      deps.waits(await requireOrg(sql, ownScope(requirePerson(callerOf(context)), query().org_id))),
    'requests.events': (call) => events(call, deps, live),
    ...prefixed(
      'requests',
      underRoof(deps, async ({ context, query }) => ownScope(callerOf(context), query().org_id)),
    ),
  });
  const ofAgent = async ({ context }: AnyAsk): Promise<Scope> =>
    agentScope(sql, callerOf(context), context.req.param('workspace_id') ?? '');
  serve(app, WORKSPACE_REQUEST_ROUTES, prefixed('workspace_requests', underRoof(deps, ofAgent)));
  return live;
}

type Ask<End extends string> = Call<(typeof REQUEST_ROUTES)[`requests.${End}` & keyof typeof REQUEST_ROUTES]>;

/** What the calls of all routes under a root have in common. */
interface AnyAsk {
  context: Context;
  query(): { org_id?: string | undefined };
}

function underRoof({ sql, enqueue }: TicketsDeps, scopeOf: (call: AnyAsk) => Promise<Scope>) {
  const sideOf = async (call: AnyAsk) => {
    const scope = await scopeOf(call);
    return { orgId: await requireOrg(sql, scope), party: scope.party };
  };
  return {
    create: async (call: Ask<'create'>) => {
      const scope = await scopeOf(call);
      const { org_id: named, ...wanted } = await call.body();
      const orgId = await requireOrg(sql, scope, named);
      const { row, created } = await createTicket(sql, enqueue, {
        caller: scope.caller,
        wanted: { ...wanted, orgId },
      });
      return { request_id: row.id, status: row.status, idempotent_hit: !created };
    },
    outgoing: async (call: Ask<'outgoing'>) =>
      listOutgoing(sql, await sideOf(call), ticketQuery(call.query())),
    inbox: async (call: Ask<'inbox'>) => listInbox(sql, await sideOf(call), ticketQuery(call.query())),
    get: async (call: Ask<'get'>) => {
      const { caller } = await scopeOf(call);
      const { limit, cursor } = call.query();
      return getThread(sql, caller, { id: call.params.request_id, limit, cursor });
    },
    respond: async (call: Ask<'respond'>) => {
      const { caller } = await scopeOf(call);
      const answer = await call.body();
      const row = await respondTicket(sql, enqueue, { caller, id: call.params.request_id, ...answer });
      return { status: row.status, request_id: row.id };
    },
    message: async (call: Ask<'message'>) => {
      const { caller } = await scopeOf(call);
      const { body: text } = await call.body();
      const { row, messageId } = await addMessage(sql, enqueue, {
        caller,
        id: call.params.request_id,
        body: text,
      });
      return {
        status: 'created' as const,
        request_id: row.id,
        message_id: messageId,
        request_status: row.status,
      };
    },
    cancel: async (call: Ask<'cancel'>) => {
      const { caller } = await scopeOf(call);
      await call.body();
      const row = await cancelTicket(sql, enqueue, { caller, id: call.params.request_id });
      return { status: row.status, request_id: row.id };
    },
  };
}

/** What waits for anyone of the tenant, for the people who look after it. */
async function pending({ context, query }: Ask<'pending'>, { sql, callerOf }: TicketsDeps) {
  const caller = requirePerson(callerOf(context));
  const { org_id: asked, ...wanted } = query();
  const scope = ownScope(caller, asked);
  if (asked !== undefined) await requireOrg(sql, scope);
  return listVisible(sql, { ...caller, orgId: scope.orgId }, ticketQuery(wanted));
}

async function events(
  { context, query }: Ask<'events'>,
  { sql, callerOf, stopping, held }: TicketsDeps,
  live: LiveTickets,
): Promise<Response> {
  const caller = callerOf(context);
  const seen = context.req.header('last-event-id');
  const asked = seen && /^\d{1,15}$/.test(seen) ? Number(seen) : query().after;
  await live.ready();
  const after = asked ?? (await newestEvent(sql));
  return streamSSE(context, async (stream) => {
    // Lets a reader whose connection breaks before the first event know where to continue.
    await stream.writeSSE({ id: String(after), event: 'LISTENING', data: '{}' });
    await held.during(caller.orgId ?? 'the whole server', context.req.raw.signal, async (gone) => {
      const signal = AbortSignal.any([gone, stopping]);
      for await (const event of live.follow(caller, { after, signal })) {
        if (event === 'alive') await stream.write(': alive\n\n');
        else await stream.writeSSE({ id: String(event.id), event: event.type, data: JSON.stringify(event) });
      }
    });
  });
}

function ticketQuery(query: ReturnType<Ask<'outgoing'>['query']>): TicketQuery {
  const { status, kind, recipient_type: recipientType, limit, cursor } = query;
  return { status: knownStatus(status), kind, recipientType, limit, cursor };
}

function knownStatus(asked: string | undefined): TicketQuery['status'] {
  const known = TICKET_FILTERS.find((each) => each === asked);
  if (asked === undefined || known) return known;
  const [close] = nearest(asked, TICKET_FILTERS);
  throw refusal('status_unknown', `there is no status "${asked}"`, {
    hint: close ? `did you mean "${close}"?` : `known: ${TICKET_FILTERS.join(', ')}`,
  });
}
