import { A2A_PROTOCOL_VERSION, formatSSEErrorEvent, formatSSEEvent, SSE_HEADERS } from '@a2a-js/sdk';
import { isV1JsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';
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

/** One JSON-RPC call, in the version of the protocol it is in: as JSON, or as a stream of events. */
export async function answerJsonRpc({ body, version, handler }: JsonRpcCall): Promise<Response> {
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
    const answer = await transport.handle(body as Record<string, unknown>, context);
    if (!(Symbol.asyncIterator in answer)) return Response.json(answer);
    // What is wrong with the request is told before the stream begins.
    const events = answer[Symbol.asyncIterator]();
    return stream(await events.next(), events, failed);
  } catch (error) {
    return Response.json(failed(error));
  }
}

/** Clients of 0.3 send no version. A method that only 1.0 has tells as much as the header would. */
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
