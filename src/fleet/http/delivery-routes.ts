import type { Context, Hono } from 'hono';
import { forbidden, isRouseError, type Log, notFound } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type Call, serve } from '../../http/index.ts';
import { type AnswerOf, DELIVERY_ROUTES, type ParamsOf } from '../../wire/index.ts';
import { addresseeOf, requireAddressee, sendToAgent } from '../a2a/index.ts';
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
import { type Identity, maySeeOrg, partyOf, requireAdmin, requireLive } from '../identity/index.ts';
import { requireCaller } from './authenticate.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const SENDING_PATH = new RegExp(`^${DELIVERY_ROUTES['a2a.enqueue'].path.replace(/\{\w+\}/g, '[^/]+')}$`);

/** Served by one statement, which also checks the token. */
export const isSending = ({ req }: Context): boolean => req.method === 'POST' && SENDING_PATH.test(req.path);

/** Messages to agents: sending one, asking how it ended, and what administrators do with dead letters. */
export function deliveryRoutes(app: Hono, { sql, log }: { sql: Sql; log: Log }): void {
  serve(app, DELIVERY_ROUTES, {
    'a2a.enqueue': (call) => send(call, sql, log),

    'a2a.queue.get': async ({ context, params }) => {
      const caller = requireCaller(context);
      const found = await findMessage(sql, params);
      if (!found || !maySeeOrg(caller, found.orgId)) throw noMessage(params.queue_id);
      if (!mayFollow(caller, found))
        throw forbidden('only its sender, its target and administrators may see a message');
      const { response_body, ...view } = found.view;
      return { ...view, response_body: view.status === 'completed' ? response_body : null };
    },

    'admin.a2a-queue.list': async ({ context, query }) => {
      const { orgId } = requireAdmin(requireCaller(context));
      const { workspace_id, status, cursor, limit = 50 } = query();
      const page = await listDeadLetters(sql, {
        orgId,
        workspaceId: workspace_id,
        status,
        limit,
        after: cursor === undefined ? undefined : readCursor(cursor),
      });
      const next_cursor = page.next ? writeCursor(page.next) : null;
      return { messages: page.messages, next_cursor, truncated: next_cursor !== null };
    },

    'admin.a2a-queue.drop-stale': async ({ context, query, body }) => {
      const { orgId } = requireAdmin(requireCaller(context));
      await body();
      const { workspace_id, max_age_minutes = 60 } = query();
      const stale = { orgId, workspaceId: workspace_id, maxAgeMinutes: max_age_minutes };
      return { dropped: await dropStale(sql, stale) };
    },

    'admin.a2a-queue.replay': async ({ context, params, body }) => {
      const { orgId } = requireAdmin(requireCaller(context));
      await body();
      const id = params.queue_id;
      if (!UUID.test(id)) throw notFound(`there is no message ${id.slice(0, 60)}`);
      return replay(sql, { orgId, id });
    },
  });
}

type Sending = (typeof DELIVERY_ROUTES)['a2a.enqueue'];

async function send(
  { context, params, body }: Call<Sending>,
  sql: Sql,
  log: Log,
): Promise<AnswerOf<Sending>> {
  const caller = requireCaller(context);
  const target = await addresseeOf(sql, caller, params.workspace_id);
  /** Checked before any other refusal, so that one reveals nothing about an agent the caller may not see. */
  const mayKnow = async (): Promise<void> => {
    await requireLive(sql, caller.tokenId);
    await requireAddressee(sql, caller, params.workspace_id);
  };
  const {
    message,
    priority,
    expires_in_seconds: expiresInSeconds,
  } = (await body().catch((error: unknown) => mayKnow().then(() => Promise.reject(error)))).params;
  if (priority !== undefined && priority > DELIVERY_PRIORITY.task) {
    await mayKnow();
    requireAdmin(caller);
  }
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
    if (created) log.info('message stored', { trace_id: id, workspace: target.id });
    const sentence = created
      ? 'the message is queued; the agent gets it when it may be disturbed'
      : 'this message was sent before';
    return { queued: true, queue_id: id, queue_depth: depth, duplicate: !created, message: sentence };
  } catch (error) {
    if (isRouseError(error) && error.code === 'unavailable') {
      context.header('retry-after', String(RETRY_AFTER_SECONDS));
    }
    throw error;
  }
}

async function findMessage(
  sql: Sql,
  { workspace_id: workspaceId, queue_id: id }: ParamsOf<(typeof DELIVERY_ROUTES)['a2a.queue.get']>,
): Promise<DeliveryRecord | undefined> {
  return UUID.test(id) && UUID.test(workspaceId) ? findDelivery(sql, { workspaceId, id }) : undefined;
}

function mayFollow(caller: Identity, { callerId, callerUser, view }: DeliveryRecord): boolean {
  if (caller.kind === 'admin') return true;
  if (caller.kind === 'agent' && caller.workspaceId === view.workspace_id) return true;
  const party = partyOf(caller);
  return party.type === 'agent' ? party.id === callerId : callerId === null && party.id === callerUser;
}

/** A message is stored before its id is returned, so not finding it is final, except on a replica that lags behind. */
function noMessage(id: string): Error {
  return notFound(`there is no message ${id.slice(0, 60)}`, { facts: { retryable: true } });
}
