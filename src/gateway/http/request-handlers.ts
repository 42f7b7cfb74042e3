import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { invalid } from '../../base/index.ts';
import { type Handlers, readJson, wholeNumber } from '../../http/index.ts';
import { type GatewayRoutes, parseBody, requestBody } from '../../wire/index.ts';
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

type RequestRoutes = Pick<
  GatewayRoutes,
  | 'requests.create'
  | 'requests.list'
  | 'requests.get'
  | 'requests.cancel'
  | 'events'
  | 'reconciliation.get'
  | 'reconciliation.decide'
>;

/** The durable queue: accept, look, cancel, follow, decide. */
export function requestHandlers(deps: ControlDependencies): Handlers<RequestRoutes> {
  const { queue } = deps;
  const shown = (id: string) => toRequestView(waitingNow(deps)(queue.get(id)), queue.ledger(id));

  return {
    'requests.create': async ({ context }) => {
      const body = parseBody(requestBody, await keyed(context));
      const { row, duplicate, depth } = await acceptRequest(body, deps);
      return {
        request_id: row.request_id,
        request_kind: body.kind,
        state: row.state,
        accepted_at_utc: row.accepted_at_utc,
        queue_depth: depth,
        managed_agent_instance_epoch: row.managed_agent_instance_epoch,
        ...(duplicate && { duplicate, outcome: row.outcome }),
      };
    },

    'requests.list': ({ query }) => {
      const rows = queue.list(query());
      return {
        schema_version: 1,
        queue_depth: queue.depth(),
        requests: rows.map(waitingNow(deps)).map(toListedRequest),
      };
    },

    'requests.get': async ({ context, params: { request_id: id }, query }) => {
      if (query().wait !== undefined) await untilFinished(queue, id, context.req.raw.signal);
      return shown(id);
    },

    'requests.cancel': async ({ params, body }) => {
      await body();
      return shown((await queue.cancel(params.request_id)).request_id);
    },

    events: ({ context, query }) => {
      // A reader that has seen nothing sends an empty header.
      const seen = context.req.header('last-event-id') || undefined;
      const { after: asked, request_id: requestId } = query();
      const after = wholeNumber(seen, 'Last-Event-ID', { min: 0, max: 1e15 }) ?? asked;
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
    },

    'reconciliation.get': () => reconciliation(deps),
    'reconciliation.decide': async ({ body }) => {
      const { keep, discard } = await body();
      return reconcile(keep, discard, deps);
    },
  };
}

/** Returns the body of a new request, with the idempotency key from the header if it was sent there. */
async function keyed(context: Context): Promise<unknown> {
  const body = await readJson(context);
  const key = context.req.header('idempotency-key')?.trim();
  if (key === undefined || typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { idempotency_key = null } = body as { idempotency_key?: unknown };
  if (idempotency_key === null) return { ...body, idempotency_key: key };
  const inBody = typeof idempotency_key === 'string' ? idempotency_key.trim() : idempotency_key;
  if (inBody === key) return body;
  throw invalid('the Idempotency-Key header and idempotency_key of the body differ', {
    hint: 'send the key in one of them',
  });
}
