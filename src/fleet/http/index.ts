/**
 * HTTP: the fleet server's door. Every request is guarded, then its caller is identified, then a room handles it.
 *
 * Promises  One route is one thin line to a room; errors as `{"detail": …}` with the statuses of the wire table.
 *           Each request has an id, in its response and in the log. A caller who asks too often learns when to come back.
 * Never     Holds state of the product.
 */
export { a2aRoutes } from './a2a-routes.ts';
export { adminRoutes, sweeperRoutes } from './admin-routes.ts';
export { authenticate, callerOf, type RequestLimits, requireCaller } from './authenticate.ts';
export { carryRemoteCall, gatewayElsewhere } from './carry-remote-call.ts';
export { deliveryRoutes, isSending } from './delivery-routes.ts';
export { HttpCounts } from './http-counts.ts';
export { mcpRoute } from './mcp-route.ts';
export { orgTurns } from './org-turns.ts';
export { isBeat, registryRoutes } from './registry-routes.ts';
export { requestLog } from './request-log.ts';
export { serverRoutes } from './server-routes.ts';
export { whileGood } from './while-good.ts';
