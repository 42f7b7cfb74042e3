import { messageOf } from '../../base/index.ts';
import type { Journal } from '../control/journal.ts';
import type { RequestOptions } from '../options.ts';
import type { McpSession } from './mcp-session.ts';

interface OpenRequest {
  id: string;
  kind: 'task' | 'approval';
  title: string;
}

/** Answers open requests through MCP when a prompt asks for it. Records every step and survives every failure. */
export function requestActor({ mcpConfig }: RequestOptions, journal: Journal) {
  return async (prompt: string, turnId: string, signal: AbortSignal): Promise<string | undefined> => {
    if (mcpConfig === undefined || !prompt.includes('list_inbox')) return undefined;
    const note = (type: string, facts: Record<string, unknown>): void =>
      journal.record(type, { turn_id: turnId, ...facts });
    let session: McpSession | undefined;
    try {
      // A turn without requests must start quickly.
      const { McpSession, readMcpConfig } = await import('./mcp-session.ts');
      session = new McpSession(readMcpConfig(mcpConfig), signal);
      await session.open();
      return await answerAll(session, note);
    } catch (error) {
      note('requests_failed', { error: messageOf(error) });
      return 'I could not reach my inbox.';
    } finally {
      session?.close();
    }
  };
}

async function answerAll(
  session: McpSession,
  note: (type: string, facts: Record<string, unknown>) => void,
): Promise<string> {
  const { requests } = (await session.call('list_inbox', {})) as { requests: OpenRequest[] };
  note('requests_listed', { count: requests.length, request_ids: requests.map(({ id }) => id) });
  for (const { id, kind, title } of requests) {
    const action = kind === 'approval' ? 'approved' : 'done';
    await session.call('respond_request', { request_id: id, action, message: `Done: ${title}` });
    note('request_answered', { request_id: id, action });
  }
  return `I answered ${requests.length} requests.`;
}
