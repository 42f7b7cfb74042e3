/**
 * HTTP: the gateway's door. Every request is checked before anything is read; every route is a thin call into a room.
 *
 * Promises  Strict bodies of bounded size; errors as `{"detail": …}` with the contract's statuses; no CORS.
 *           A handler for each route of wire/routes.ts, and for nothing else; the compiler checks it.
 *           What a body asks for beyond its route is checked by wire/capabilities.ts, whichever route it comes by.
 * Never     Holds state or decides anything about the agent.
 */
import type { Hono } from 'hono';
import { serve } from '../../http/index.ts';
import { GATEWAY_ROUTES } from '../../wire/index.ts';
import type { ControlDependencies } from '../control/index.ts';
import type { Notifier } from '../notifier/index.ts';
import type { SessionPause } from '../pause/index.ts';
import { withNeeds } from './caller.ts';
import { controlHandlers } from './control-handlers.ts';
import { type MailHandlerDependencies, mailHandlers } from './mail-handlers.ts';
import { type McpHandlerDependencies, mcpHandler } from './mcp-handler.ts';
import { metricsHandler } from './metrics-handler.ts';
import { notifierHandlers } from './notifier-handlers.ts';
import { pauseHandlers } from './pause-handlers.ts';
import { reminderHandlers } from './reminder-handlers.ts';
import { requestHandlers } from './request-handlers.ts';
import { type StatusHandlerDependencies, statusHandlers } from './status-handlers.ts';

export { isAgent } from './mcp-handler.ts';

export interface GatewayRooms
  extends ControlDependencies,
    StatusHandlerDependencies,
    MailHandlerDependencies,
    McpHandlerDependencies {
  notifier: Notifier;
  hold: SessionPause;
}

export function serveGateway(app: Hono, rooms: GatewayRooms): void {
  const handlers = {
    ...statusHandlers(rooms),
    metrics: metricsHandler(rooms),
    ...requestHandlers(rooms),
    ...controlHandlers(rooms),
    ...reminderHandlers(rooms.reminders),
    ...mailHandlers(rooms),
    ...notifierHandlers(rooms.notifier),
    ...pauseHandlers(rooms.hold),
    mcp: mcpHandler(rooms),
  };
  serve(app, GATEWAY_ROUTES, withNeeds(handlers));
}
