import { A2A_PROTOCOL_VERSION, formatSSEErrorEvent, formatSSEEvent, SSE_HEADERS } from '@a2a-js/sdk';
import { isLegacyJsonRpcMethod, isV1JsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import {
  type A2ARequestHandler,
  JsonRpcTransportHandler,
  ServerCallContext,
  validateVersion,
} from '@a2a-js/sdk/server';
import { LEGACY_VERSION } from './agent-card.ts';

export interface JsonRpcCall {
  body: unknown;
  /** The header `A2A-Version`. */
  version: string | undefined;
  handler: A2ARequestHandler;
}

/** Runs one JSON-RPC call in its own protocol version. Returns JSON or a stream of events. */
export async function answerJsonRpc({ body, version, handler }: JsonRpcCall): Promise<Response> {
  if (!isRequest(body)) return refused(idOf(body), INVALID_REQUEST, 'the body is not a JSON-RPC 2.0 request');
  const asked = version || versionOf(body);
  const legacy = asked === LEGACY_VERSION;
  const transport = legacy
    ? new LegacyJsonRpcTransportHandler(handler)
    : new JsonRpcTransportHandler(handler);
  const failed = (error: unknown): object => ({
    jsonrpc: '2.0',
    id: idOf(body),
    error: legacy
      ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error)
      : JsonRpcTransportHandler.mapToJSONRPCError(error),
  });
  try {
    validateVersion(asked, await handler.getAgentCard(), 'JSONRPC');
    const context = new ServerCallContext({ requestedVersion: asked });
    const answer = await transport.handle(withParams(body) as Record<string, unknown>, context);
    if (!(Symbol.asyncIterator in answer)) return isNotification(body) ? silence() : Response.json(answer);
    // Errors in the request are reported before the stream begins.
    const events = answer[Symbol.asyncIterator]();
    const first = await events.next();
    if (!isNotification(body)) return stream(first, events, failed);
    await events.return?.();
    return silence();
  } catch (error) {
    return isNotification(body) ? silence() : Response.json(failed(error));
  }
}

/** What JSON-RPC returns for a body that is not JSON. */
export function parseError(message: string): Response {
  return refused(null, PARSE_ERROR, message);
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

const refused = (id: string | number | null, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id, error: { code, message } });

/** The SDK reports another version and an id of another type as invalid parameters. */
function isRequest(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { jsonrpc, method, id = null } = body as { jsonrpc?: unknown; method?: unknown; id?: unknown };
  const isId = id === null || typeof id === 'string' || Number.isInteger(id);
  return jsonrpc === '2.0' && typeof method === 'string' && isId;
}

/** The SDK checks the parameters first. An unknown method is reported as unknown, with or without parameters. */
function withParams(body: unknown): unknown {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: unknown };
  if (params !== undefined || typeof method !== 'string') return body;
  const known = isV1JsonRpcMethod(method) || isLegacyJsonRpcMethod(method);
  return known ? body : { ...(body as object), params: {} };
}

/** A request without an id is carried out and gets no response. */
function isNotification(body: unknown): boolean {
  return !('id' in (body as object));
}

const silence = (): Response => new Response(null, { status: 204 });

/** Clients of 0.3 send no version. A method that only 1.0 has says as much as the header would. */
function versionOf(body: unknown): string {
  const method = (body as { method?: unknown } | null)?.method;
  return typeof method === 'string' && isV1JsonRpcMethod(method) ? A2A_PROTOCOL_VERSION : LEGACY_VERSION;
}

function idOf(body: unknown): string | number | null {
  const id = (body as { id?: unknown } | null)?.id;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function stream(
  first: IteratorResult<unknown>,
  events: AsyncIterator<unknown>,
  failed: (error: unknown) => object,
): Response {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<unknown>> | undefined = Promise.resolve(first);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await (next ?? events.next());
        next = undefined;
        if (done) return controller.close();
        controller.enqueue(encoder.encode(formatSSEEvent(value)));
      } catch (error) {
        controller.enqueue(encoder.encode(formatSSEErrorEvent(failed(error))));
        controller.close();
      }
    },
    async cancel() {
      await events.return?.();
    },
  });
  return new Response(body, { headers: { ...SSE_HEADERS } });
}
