import { createMcpHandler } from '@modelcontextprotocol/server';
import { createMcpServer } from './create-mcp-server.ts';
import type { McpPorts } from './ports.ts';

export interface McpHttp {
  /** Serves one request. The caller has been admitted before. */
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** Streamable HTTP without sessions: requests are independent, so any replica may serve each. */
export function mcpOverHttp(portsOf: (request: Request) => McpPorts): McpHttp {
  const handler = createMcpHandler(({ requestInfo }) => createMcpServer(portsOf(requestInfo!)));
  return { fetch: (request) => handler.fetch(request), close: () => handler.close() };
}
