import type { Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { type Clock, nearest } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { queryNumber, readBody } from '../../http/index.ts';
import {
  createRequestBody,
  parseBody,
  pendingRequestsQuery,
  REQUEST_FILTERS,
  refusal,
  requestMessageBody,
  respondRequestBody,
} from '../../wire/index.ts';
import { type Identity, requirePerson } from '../identity/index.ts';
import { addMessage } from './add-message.ts';
import { cancelRequest } from './cancel-request.ts';
import { createRequest } from './create-request.ts';
import { getThread } from './get-thread.ts';
import { type ListWanted, listInbox, listOutgoing, listVisible } from './list-requests.ts';
import { LiveRequests } from './live-requests.ts';
import type { Enqueue } from './notices.ts';
import { newestEvent } from './request-events.ts';
import { agentScope, ownScope, requireOrg, type Scope } from './request-scope.ts';
import { respondRequest } from './respond-request.ts';

export interface RequestsDeps {
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
export function requestRoutes(app: Hono, deps: RequestsDeps): { close(): Promise<void> } {
  const { sql, callerOf } = deps;
  const live = new LiveRequests(sql, deps.clock);
  pending(app, deps);
  events(app, deps, live);
  underRoof(app, deps, {
    root: '/requests',
    scopeOf: async (context) => ownScope(callerOf(context), context),
  });
  underRoof(app, deps, {
    root: '/workspaces/:workspace/requests',
    scopeOf: (context) => agentScope(sql, callerOf(context), context.req.param('workspace') ?? ''),
  });
  return live;
}

interface Roof {
  root: string;
  scopeOf: (context: Context) => Promise<Scope>;
}

function underRoof(app: Hono, { sql, enqueue }: RequestsDeps, { root, scopeOf }: Roof): void {
  app.post(root, async (context) => {
    const scope = await scopeOf(context);
    const { org_id: named, ...wanted } = await readBody(context, createRequestBody);
    const orgId = await requireOrg(sql, scope, named);
    const { row, created } = await createRequest(sql, enqueue, {
      caller: scope.caller,
      wanted: { ...wanted, orgId },
    });
    return context.json(
      { request_id: row.id, status: row.status, idempotent_hit: !created },
      created ? 201 : 200,
    );
  });

  app.get(root, async (context) => {
    const scope = await scopeOf(context);
    const side = { orgId: await requireOrg(sql, scope), party: scope.party };
    return context.json(await listOutgoing(sql, side, listWanted(context)));
  });

  app.get(`${root}/inbox`, async (context) => {
    const scope = await scopeOf(context);
    const side = { orgId: await requireOrg(sql, scope), party: scope.party };
    return context.json(await listInbox(sql, side, listWanted(context)));
  });

  app.get(`${root}/:request`, async (context) => {
    const { caller } = await scopeOf(context);
    return context.json(await getThread(sql, caller, { id: idOf(context), ...page(context) }));
  });

  app.post(`${root}/:request/respond`, async (context) => {
    const { caller } = await scopeOf(context);
    const answer = await readBody(context, respondRequestBody);
    const row = await respondRequest(sql, enqueue, { caller, id: idOf(context), ...answer });
    return context.json({ status: row.status, request_id: row.id });
  });

  app.post(`${root}/:request/messages`, async (context) => {
    const { caller } = await scopeOf(context);
    const { body } = await readBody(context, requestMessageBody);
    const { row, messageId } = await addMessage(sql, enqueue, { caller, id: idOf(context), body });
    return context.json(
      { status: 'created', request_id: row.id, message_id: messageId, request_status: row.status },
      201,
    );
  });

  app.post(`${root}/:request/cancel`, async (context) => {
    const { caller } = await scopeOf(context);
    const row = await cancelRequest(sql, enqueue, { caller, id: idOf(context) });
    return context.json({ status: row.status, request_id: row.id });
  });
}

/** What waits for anybody of the tenant, for the people who look after it. */
function pending(app: Hono, { sql, callerOf }: RequestsDeps): void {
  app.get('/requests/pending', async (context) => {
    const caller = requirePerson(callerOf(context));
    const { orgId } = ownScope(caller, context);
    if (context.req.query('org_id') !== undefined) await requireOrg(sql, ownScope(caller, context));
    return context.json(await listVisible(sql, { ...caller, orgId }, listWanted(context)));
  });
}

function events(app: Hono, { sql, callerOf, stopping }: RequestsDeps, live: LiveRequests): void {
  app.get('/requests/events', async (context) => {
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
  });
}

const idOf = (context: Context): string => context.req.param('request') ?? '';

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
