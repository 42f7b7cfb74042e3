import type { Hono } from 'hono';
import { type FleetClient, failureOf, TicketsClient } from '../../client/index.ts';
import { readBytes, serve } from '../../http/index.ts';
import { type McpHttp, mcpOverHttp } from '../../mcp/index.ts';
import { MCP_ROUTES } from '../../wire/index.ts';
import { requireCaller } from './authenticate.ts';

/**
 * Serves the tickets of the token's holder as MCP tools. Each tool calls this server's own routes with the caller's own
 * headers, so what a token may do is decided in one place.
 */
export function mcpRoute(app: Hono): McpHttp {
  const mcp = mcpOverHttp((request) => ({
    tickets: (workspaceId) => new TicketsClient(sameServer(app, request), workspaceId),
  }));
  serve(app, MCP_ROUTES, {
    mcp: async ({ context }) => {
      requireCaller(context);
      const { raw } = context.req;
      if (raw.method !== 'POST') return mcp.fetch(raw);
      const body = new Uint8Array(await readBytes(context));
      const answer = await mcp.fetch(new Request(raw.url, { method: 'POST', headers: raw.headers, body }));
      // The tool works while its response is read, so it is read within the turn of its org.
      return new Response(await answer.text(), answer);
    },
  });
  return mcp;
}

const HANDED_ON = ['host', 'authorization', 'x-request-id'];

function sameServer(app: Hono, { headers }: Request): Pick<FleetClient, 'request'> {
  const own = HANDED_ON.flatMap((name) => (headers.get(name) === null ? [] : [[name, headers.get(name)!]]));
  return {
    async request<T>(method: string, path: string, body?: unknown): Promise<T> {
      const response = await app.request(path, {
        method,
        headers: Object.fromEntries([...own, ['content-type', 'application/json']]),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer = await response.json();
      if (response.status >= 400) throw failureOf(response.status, answer);
      return answer as T;
    },
  };
}
