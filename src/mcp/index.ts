/**
 * MCP: what an agent may do here, as tools of the Model Context Protocol. Requests go to the fleet server; mail and
 * reminders to the gateway beside the agent. The same clients as the command line, over standard input and over HTTP.
 *
 * Promises  A refusal is a tool error with what happened and what to do; nothing but protocol is written to standard
 *           output. The token that the ports hold decides who acts, never an argument.
 * Never     Opens a database, reads a token from an argument, or types into a terminal.
 */
import type { Listening } from '../http/index.ts';
import type { ListenMcp } from './listen-mcp.ts';

export type { ListenMcp } from './listen-mcp.ts';
export { type McpHttp, mcpOverHttp } from './over-http.ts';
export { serveMcpOverStdio } from './over-stdio.ts';
export type { McpPorts, RemindersPort } from './ports.ts';

/** Loaded on demand: most servers use standard input, and have to start fast. */
export async function listenMcp(wanted: ListenMcp): Promise<Listening & { url: string }> {
  return (await import('./listen-mcp.ts')).listenMcp(wanted);
}
