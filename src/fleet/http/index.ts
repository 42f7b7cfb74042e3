/**
 * HTTP: the fleet server's door. Every request is guarded, then its caller is known, then a room answers.
 *
 * Promises  One route is one thin line to a room; errors as `{"detail": …}` with the statuses of the wire table.
 * Never     Holds state.
 */
export { authenticate, callerOf, requireCaller } from './authenticate.ts';
export { sweeperRoutes } from './sweeper-routes.ts';
