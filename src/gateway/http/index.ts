/**
 * HTTP: the gateway's door. Every request is guarded before anything is read; every route is a thin line to a room.
 *
 * Promises  Strict bodies of bounded size; errors as `{"detail": …}` with the contract's statuses; no CORS.
 * Never     Holds state or decides anything about the agent.
 */
export { controlRoutes } from './control-routes.ts';
export { mailRoutes } from './mail-routes.ts';
export { notifierRoutes } from './notifier-routes.ts';
export { reminderRoutes } from './reminder-routes.ts';
export { requestRoutes } from './request-routes.ts';
export { statusRoutes } from './status-routes.ts';
