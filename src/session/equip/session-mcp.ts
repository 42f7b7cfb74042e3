import { agentTokenFile, ensureAgentToken } from '../../client/index.ts';
import { LOOPBACK } from '../../domain/index.ts';
import type { McpAddress, SessionMcp } from '../../tools/index.ts';
import { pathOf } from '../../wire/place.ts';
import { MCP_HTTP_PLACES } from '../../wire/places.ts';
import { mcpEntryOf } from './mcp-entry.ts';

export interface EquippedAgent {
  root: string;
  manifest: string;
  agentId: string;
  hasMailbox: boolean;
  /** Belongs to a fleet, and so has requests. */
  isMember: boolean;
  /** Of the gateway that lives, or will before the tool starts; its tools are then served there. */
  gatewayPort: number | undefined;
  /** Without a question. */
  allowed: boolean;
}

/** Our tools for one agent: what it has of mail, reminders and requests. Undefined when that is nothing. */
export async function sessionMcp(
  agent: EquippedAgent,
  env: Readonly<Record<string, string | undefined>>,
): Promise<SessionMcp | undefined> {
  const { root, gatewayPort: port, hasMailbox: mail, isMember: tickets } = agent;
  const { describeTools } = await import('../../mcp/tool-list.ts');
  const tools = describeTools({ mail, tickets, reminders: port !== undefined });
  if (tools.length === 0) return undefined;
  return {
    program: mcpEntryOf(agent, env),
    http: port === undefined ? undefined : addressOf(root, port),
    tools,
    allowed: agent.allowed,
  };
}

const addressOf = (root: string, port: number): McpAddress => ({
  url: `http://${LOOPBACK}:${port}${pathOf(MCP_HTTP_PLACES.mcp)}`,
  token: ensureAgentToken(root),
  tokenFile: agentTokenFile(root),
});

const ANSWER_MS = 10_000;

/**
 * Whether the gateway at this port answers with the agent's tools. The first question makes it load what it needs for that, so
 * that a tool, which may wait a few seconds and asks only once, is answered at once.
 */
export async function servesTools(root: string, port: number): Promise<boolean> {
  const { url, token } = addressOf(root, port);
  try {
    const { status, body } = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    await body?.cancel();
    return status === 200;
  } catch {
    return false;
  }
}
