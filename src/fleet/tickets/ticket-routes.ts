import type { Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { type Clock, nearest } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type Call, queryNumber, serve } from '../../http/index.ts';
import {
  parseBody,
  pendingRequestsQuery,
  prefixed,
  REQUEST_FILTERS,
  REQUEST_ROUTES,
  refusal,
  WORKSPACE_REQUEST_ROUTES,
} from '../../wire/index.ts';
import { type Identity, requirePerson } from '../identity/index.ts';
import { addMessage } from './add-message.ts';
import { cancelTicket } from './cancel-ticket.ts';
import { createTicket } from './create-ticket.ts';
import { getThread } from './get-thread.ts';
import { type ListWanted, listInbox, listOutgoing, listVisible } from './list-tickets.ts';
import { LiveTickets } from './live-tickets.ts';
import type { Enqueue } from './notices.ts';
import { respondTicket } from './respond-ticket.ts';
import { newestEvent } from './ticket-events.ts';
import { agentScope, ownScope, requireOrg, type Scope } from './ticket-scope.ts';

export interface TicketsDeps {
  sql: Sql;
  clock: Clock;
  /** Puts a notice into an agent's line (delivery/). */
  enqueue: Enqueue;
  /** Ends the live streams. */
  stopping: AbortSignal;
  /** Who speaks, as the token says. */
  callerOf: (context: Context) => Identity;
}

/** The routes of people and of agents: the same ones under two roofs. Call `close` when the server ends. */
export function ticketRoutes(app: Hono, deps: TicketsDeps): { close(): Promise<void> } {
  const { sql, callerOf } = deps;
  const live = new LiveTickets(sql, deps.clock);
  serve(app, REQUEST_ROUTES, {
    'requests.pending': (call) => pending(call.context, deps),
    'requests.events': (call) => events(call.context, deps, live),
    ...prefixed(
      'requests',
      underRoof(deps, async (context) => ownScope(callerOf(context), context)),
    ),
  });
  const ofAgent = (context: Context): Promise<Scope> =>
    agentScope(sql, callerOf(context), context.req.param('workspace_id') ?? '');
  serve(app, WORKSPACE_REQUEST_ROUTES, prefixed('workspace_requests', underRoof(deps, ofAgent)));
  return live;
}

type Ask<End extends string> = Call<(typeof REQUEST_ROUTES)[`requests.${End}` & keyof typeof REQUEST_ROUTES]>;

function underRoof({ sql, enqueue }: TicketsDeps, scopeOf: (context: Context) => Promise<Scope>) {
  const sideOf = async (context: Context) => {
    const scope = await scopeOf(context);
    return { orgId: await requireOrg(sql, scope), party: scope.party };
  };
  return {
    create: async ({ context, body }: Ask<'create'>) => {
      const scope = await scopeOf(context);
      const { org_id: named, ...wanted } = await body();
      const orgId = await requireOrg(sql, scope, named);
      const { row, created } = await createTicket(sql, enqueue, {
        caller: scope.caller,
        wanted: { ...wanted, orgId },
      });
      const answer = { request_id: row.id, status: row.status, idempotent_hit: !created };
      return context.json(answer, created ? 201 : 200);
    },
    outgoing: async ({ context }: Ask<'outgoing'>) =>
      listOutgoing(sql, await sideOf(context), listWanted(context)),
    inbox: async ({ context }: Ask<'inbox'>) => listInbox(sql, await sideOf(context), listWanted(context)),
    get: async ({ context, params }: Ask<'get'>) => {
      const { caller } = await scopeOf(context);
      return getThread(sql, caller, { id: params.request_id, ...page(context) });
    },
    respond: async ({ context, params, body }: Ask<'respond'>) => {
      const { caller } = await scopeOf(context);
      const answer = await body();
      const row = await respondTicket(sql, enqueue, { caller, id: params.request_id, ...answer });
      return { status: row.status, request_id: row.id };
    },
    message: async ({ context, params, body }: Ask<'message'>) => {
      const { caller } = await scopeOf(context);
      const { body: text } = await body();
      const { row, messageId } = await addMessage(sql, enqueue, {
        caller,
        id: params.request_id,
        body: text,
      });
      return {
        status: 'created' as const,
        request_id: row.id,
        message_id: messageId,
        request_status: row.status,
      };
    },
    cancel: async ({ context, params }: Ask<'cancel'>) => {
      const { caller } = await scopeOf(context);
      const row = await cancelTicket(sql, enqueue, { caller, id: params.request_id });
      return { status: row.status, request_id: row.id };
    },
  };
}

/** What waits for anybody of the tenant, for the people who look after it. */
async function pending(context: Context, { sql, callerOf }: TicketsDeps) {
  const caller = requirePerson(callerOf(context));
  const { orgId } = ownScope(caller, context);
  if (context.req.query('org_id') !== undefined) await requireOrg(sql, ownScope(caller, context));
  return listVisible(sql, { ...caller, orgId }, listWanted(context));
}

async function events(
  context: Context,
  { sql, callerOf, stopping }: TicketsDeps,
  live: LiveTickets,
): Promise<Response> {
  const caller = callerOf(context);
  const seen = context.req.header('last-event-id');
  const asked =
    seen && /^\d{1,15}$/.test(seen) ? Number(seen) : queryNumber(context, 'after', { min: 0, max: 1e15 });
  await live.ready();
  const after = asked ?? (await newestEvent(sql));
  return streamSSE(context, async (stream) => {
    // So that a reader whose connection breaks before anything happened knows where to go on.
    await stream.writeSSE({ id: String(after), event: 'LISTENING', data: '{}' });
    const signal = AbortSignal.any([context.req.raw.signal, stopping]);
    for await (const event of live.follow(caller, { after, signal })) {
      if (event === 'alive') await stream.write(': alive\n\n');
      else await stream.writeSSE({ id: String(event.id), event: event.type, data: JSON.stringify(event) });
    }
  });
}

function page(context: Context): Pick<ListWanted, 'limit' | 'cursor'> {
  return { limit: queryNumber(context, 'limit', { min: 1, max: 200 }), cursor: context.req.query('cursor') };
}

function listWanted(context: Context): ListWanted {
  const { kind, recipient_type: recipientType } = parseBody(
    pendingRequestsQuery.pick({ kind: true, recipient_type: true }),
    { kind: context.req.query('kind'), recipient_type: context.req.query('recipient_type') },
    'query',
  );
  return { status: statusOf(context), kind, recipientType, ...page(context) };
}

function statusOf(context: Context): ListWanted['status'] {
  const asked = context.req.query('status');
  const known = REQUEST_FILTERS.find((each) => each === asked);
  if (asked === undefined || known) return known;
  const [close] = nearest(asked, REQUEST_FILTERS);
  throw refusal('status_unknown', `there is no status "${asked}"`, {
    hint: close ? `did you mean "${close}"?` : `known are ${REQUEST_FILTERS.join(', ')}`,
  });
}
