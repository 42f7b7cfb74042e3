import type { Context, Hono } from 'hono';
import { forbidden, isRouseError, notFound } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { queryNumber, readBody } from '../../http/index.ts';
import { a2aSendBody, deadLetterQuery, dropStaleQuery, parseBody } from '../../wire/index.ts';
import { requireAddressee, sendToAgent } from '../a2a/index.ts';
import {
  DELIVERY_PRIORITY,
  type DeliveryRecord,
  dropStale,
  findDelivery,
  listDeadLetters,
  RETRY_AFTER_SECONDS,
  readCursor,
  replay,
  writeCursor,
} from '../delivery/index.ts';
import { type Identity, maySeeOrg, partyOf, requireAdmin } from '../identity/index.ts';
import { requireCaller } from './authenticate.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Messages to agents: sending, asking what became of one, and what administrators do with those that went nowhere. */
export function deliveryRoutes(app: Hono, sql: Sql): void {
  app.post('/workspaces/:id/a2a', (context) => send(context, sql));

  app.get('/workspaces/:id/a2a/queue/:queue_id', async (context) => {
    const caller = requireCaller(context);
    const found = await findMessage(context, sql);
    if (!found || !maySeeOrg(caller, found.orgId)) throw noMessage(context);
    if (!mayFollow(caller, found))
      throw forbidden('only its sender, its target and administrators see a message');
    const { response_body, ...view } = found.view;
    return context.json({ ...view, response_body: view.status === 'completed' ? response_body : null });
  });

  app.get('/admin/a2a-queue', async (context) => {
    const { orgId } = requireAdmin(requireCaller(context));
    const { workspace_id, status, cursor } = parseBody(deadLetterQuery, context.req.query(), 'query');
    const limit = queryNumber(context, 'limit', { min: 1, max: 200 }) ?? 50;
    const page = await listDeadLetters(sql, {
      orgId,
      workspaceId: workspace_id,
      status,
      limit,
      after: cursor === undefined ? undefined : readCursor(cursor),
    });
    const next_cursor = page.next ? writeCursor(page.next) : null;
    return context.json({ messages: page.messages, next_cursor, truncated: next_cursor !== null });
  });

  app.post('/admin/a2a-queue/drop-stale', async (context) => {
    const { orgId } = requireAdmin(requireCaller(context));
    const { workspace_id } = parseBody(dropStaleQuery, context.req.query(), 'query');
    const maxAgeMinutes = queryNumber(context, 'max_age_minutes', { min: 1, max: 5_256_000 }) ?? 60;
    return context.json({
      dropped: await dropStale(sql, { orgId, workspaceId: workspace_id, maxAgeMinutes }),
    });
  });

  app.post('/admin/a2a-queue/:queue_id/replay', async (context) => {
    const { orgId } = requireAdmin(requireCaller(context));
    const id = context.req.param('queue_id');
    if (!UUID.test(id)) throw notFound(`there is no message ${id.slice(0, 60)}`);
    return context.json(await replay(sql, { orgId, id }));
  });
}

async function send(context: Context, sql: Sql): Promise<Response> {
  const caller = requireCaller(context);
  const target = await requireAddressee(sql, caller, context.req.param('id')!);
  const { params } = await readBody(context, a2aSendBody);
  const { message, priority, expires_in_seconds: expiresInSeconds } = params;
  if (priority !== undefined && priority > DELIVERY_PRIORITY.task) requireAdmin(caller);
  try {
    const { id, created, depth } = await sendToAgent(
      sql,
      { caller, target },
      {
        text: message.parts.map(({ text }) => text).join('\n'),
        messageId: message.messageId,
        contextId: message.contextId,
        priority,
        expiresInSeconds,
      },
    );
    const told = created
      ? 'the message waits for the agent; it is given to it when it may be disturbed'
      : 'this message was sent before';
    return context.json(
      { queued: true, queue_id: id, queue_depth: depth, duplicate: !created, message: told },
      202,
    );
  } catch (error) {
    if (isRouseError(error) && error.code === 'unavailable') {
      context.header('retry-after', String(RETRY_AFTER_SECONDS));
    }
    throw error;
  }
}

async function findMessage(context: Context, sql: Sql): Promise<DeliveryRecord | undefined> {
  const workspaceId = context.req.param('id')!;
  const id = context.req.param('queue_id')!;
  return UUID.test(id) && UUID.test(workspaceId) ? findDelivery(sql, { workspaceId, id }) : undefined;
}

function mayFollow(caller: Identity, { callerId, callerUser, view }: DeliveryRecord): boolean {
  if (caller.kind === 'admin') return true;
  if (caller.kind === 'agent' && caller.workspaceId === view.workspace_id) return true;
  const party = partyOf(caller);
  return party.type === 'agent' ? party.id === callerId : callerId === null && party.id === callerUser;
}

/** A message is stored before its id is told, so that not finding it is final; except on a replica that lags behind. */
function noMessage(context: Context): Error {
  return notFound(`there is no message ${context.req.param('queue_id')!.slice(0, 60)}`, {
    facts: { retryable: true },
  });
}
