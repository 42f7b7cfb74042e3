import type { Context } from 'hono';
import { unauthorized } from '../../base/index.ts';
import {
  fleetClientOf,
  readAgentToken,
  type SessionFleet,
  sessionFleet,
  TicketsClient,
} from '../../client/index.ts';
import type { MailOperationName } from '../../domain/index.ts';
import { carries, type Handler, readBytes } from '../../http/index.ts';
import type { McpHttp, McpPorts } from '../../mcp/index.ts';
import { GATEWAY_ROUTES, type GatewayRoutes, NEEDS, parseBody, requireCapability } from '../../wire/index.ts';
import { mailStatusView, runMailOperation } from '../mail/index.ts';
import type { Reminders } from '../reminders/index.ts';
import { filesFor } from './caller.ts';
import { type MailHandlerDependencies, openServed } from './mail-handlers.ts';

export interface McpHandlerDependencies extends MailHandlerDependencies {
  reminders: Reminders;
  sessionRoot: string;
}

/** Whether the caller is the agent itself: only it has this token, which opens only its own tools. */
export function isAgent(context: Context, sessionRoot: string): boolean {
  const token = readAgentToken(sessionRoot);
  return token !== undefined && carries(context, token);
}

/**
 * The agent's own tools over HTTP. Requests share no session, so that a restart of the gateway is not noticed. The protocol is
 * loaded on first use.
 */
export function mcpHandler(rooms: McpHandlerDependencies): Handler<GatewayRoutes['mcp']> {
  let loading: Promise<McpHttp> | undefined;
  const load = async (): Promise<McpHttp> => {
    const { mcpOverHttp } = await import('../../mcp/index.ts');
    return mcpOverHttp(() => portsOf(rooms));
  };
  return async ({ context }) => {
    if (!isAgent(context, rooms.sessionRoot)) {
      throw unauthorized("the agent's own token is required", {
        hint: 'send "Authorization: Bearer <token>" with the token in mcp/token of the session',
      });
    }
    loading ??= load();
    const { method, url, headers } = context.req.raw;
    const body = await readBytes(context);
    // A body of a GET or HEAD is ignored.
    const hasBody = body.length > 0 && method !== 'GET' && method !== 'HEAD';
    const request = new Request(url, { method, headers, ...(hasBody && { body }) });
    const answer = await (await loading).fetch(request);
    // Connections are not reused: a call on one that a restart closed would fail, and some tools then drop the server.
    answer.headers.set('connection', 'close');
    return answer;
  };
}

/** Looked up for each request, because a mailbox may be bound and a fleet joined while the gateway runs. */
function portsOf(rooms: McpHandlerDependencies): McpPorts {
  const { mail, reminders, sessionRoot } = rooms;
  const open = openServed(rooms);
  const fleet = fleetOf(sessionRoot);
  return {
    ...(mail.isBound && {
      mail: async (operation, body) =>
        operation === 'status'
          ? mailStatusView(await open(), mail.bindingsVersion())
          : runMailOperation(operation as MailOperationName, body, {
              open,
              files: filesFor(['agent'], rooms.sharedFiles),
              recipientAddress: rooms.recipientAddress,
            }),
    }),
    reminders: async () => ({
      list: async () => reminders.edit.list(),
      create: async (reminder) => {
        const body = parseBody(GATEWAY_ROUTES['reminders.create'].body, { reminders: [reminder] });
        const need = NEEDS['reminders.create'](body);
        if (need) requireCapability(['agent'], need, 'create_reminder');
        return reminders.edit.create(body.reminders);
      },
      remove: async (id) => reminders.edit.remove(id),
    }),
    ...(fleet && {
      tickets: (workspaceId) => new TicketsClient(fleetClientOf(fleet), workspaceId),
    }),
  };
}

/** A damaged fleet file disables the ticket tools, not the mail tools. */
function fleetOf(sessionRoot: string): SessionFleet | undefined {
  try {
    return sessionFleet(sessionRoot);
  } catch {
    return undefined;
  }
}
