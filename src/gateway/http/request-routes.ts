import type { Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { invalid } from '../../base/index.ts';
import { REQUEST_STATES } from '../../domain/index.ts';
import { queryNumber, readBody, readJson, wholeNumber } from '../../http/index.ts';
import { parseBody, reconcileBody, requestBody } from '../../wire/index.ts';
import {
  acceptRequest,
  type ControlDependencies,
  followLedger,
  reconcile,
  reconciliation,
  untilFinished,
  waitingNow,
} from '../control/index.ts';
import { toListedRequest, toRequestView } from '../queue/index.ts';

/** The durable queue: accept, look, cancel, follow, decide. */
export function requestRoutes(app: Hono, on: ControlDependencies): void {
  const { queue } = on;
  const shown = (id: string) => toRequestView(waitingNow(on)(queue.get(id)), queue.ledger(id));

  app.post('/v1/requests', async (context) => {
    const { row, duplicate, depth } = await acceptRequest(parseBody(requestBody, await keyed(context)), on);
    return context.json({
      request_id: row.request_id,
      request_kind: row.request_kind,
      state: row.state,
      accepted_at_utc: row.accepted_at_utc,
      queue_depth: depth,
      managed_agent_instance_epoch: row.managed_agent_instance_epoch,
      ...(duplicate && { duplicate, outcome: row.outcome }),
    });
  });

  app.get('/v1/requests', (context) => {
    const state = context.req.query('state');
    if (state !== undefined && !(REQUEST_STATES as readonly string[]).includes(state)) {
      throw invalid(`state must be one of ${REQUEST_STATES.join(', ')}`);
    }
    const rows = queue.list({
      state,
      limit: queryNumber(context, 'limit', { min: 1, max: 1000 }) ?? 100,
      before: queryNumber(context, 'before', { min: 1, max: Number.MAX_SAFE_INTEGER }),
    });
    return context.json({
      schema_version: 1,
      queue_depth: queue.depth(),
      requests: rows.map(waitingNow(on)).map(toListedRequest),
    });
  });

  app.get('/v1/requests/:id', async (context) => {
    const id = context.req.param('id');
    if (context.req.query('wait') !== undefined) await untilFinished(queue, id, context.req.raw.signal);
    return context.json(shown(id));
  });

  app.post('/v1/requests/:id/cancel', async (context) => {
    const { request_id } = await queue.cancel(context.req.param('id'));
    return context.json(shown(request_id));
  });

  app.get('/v1/events', (context) => {
    const bounds = { min: 0, max: 1e15 };
    // An empty one is what a reader sends who has seen nothing.
    const seen = context.req.header('last-event-id') || undefined;
    const after = wholeNumber(seen, 'Last-Event-ID', bounds) ?? queryNumber(context, 'after', bounds);
    const requestId = context.req.query('request_id');
    if (requestId !== undefined) queue.get(requestId);
    return streamSSE(context, async (stream) => {
      const { signal } = context.req.raw;
      for await (const entry of followLedger(queue, { after, requestId, signal })) {
        await stream.writeSSE({
          id: String(entry.entry_id),
          event: entry.stage,
          data: JSON.stringify(entry),
        });
      }
    });
  });

  app.get('/v1/reconciliation', (context) => context.json(reconciliation(on)));
  app.post('/v1/reconciliation', async (context) => {
    const { keep, discard } = await readBody(context, reconcileBody);
    return context.json(await reconcile(keep, discard, on));
  });
}

/** The body of a new request, with the key that may stand in a header instead. */
async function keyed(context: Context): Promise<unknown> {
  const body = await readJson(context);
  const key = context.req.header('idempotency-key')?.trim();
  if (key === undefined || typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { idempotency_key = null } = body as { idempotency_key?: unknown };
  if (idempotency_key === null) return { ...body, idempotency_key: key };
  const said = typeof idempotency_key === 'string' ? idempotency_key.trim() : idempotency_key;
  if (said === key) return body;
  throw invalid('the Idempotency-Key header and idempotency_key of the body differ', {
    hint: 'give the key in one of them',
  });
}
