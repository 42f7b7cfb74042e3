import { createMcpHandler } from '@modelcontextprotocol/server';
import { createMcpServer } from './create-mcp-server.ts';
import type { McpPorts } from './ports.ts';

export interface McpHttp {
  /** Serves one request; who may ask was decided before. */
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** Streamable HTTP without sessions: each request stands for itself, so that any replica may serve it. */
export function mcpOverHttp(portsOf: (request: Request) => McpPorts): McpHttp {
  const handler = createMcpHandler(({ requestInfo }) => createMcpServer(portsOf(requestInfo!)));
  return { fetch: (request) => handler.fetch(request), close: () => handler.close() };
}
