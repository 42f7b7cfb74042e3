/**
 * HTTP: what all our servers share. Every request is guarded before anything is read.
 *
 * Promises  Host, Origin and the caller's account or token are checked. Bodies are strict and of bounded size. Errors are
 *           `{"detail": …}` with the contract's statuses. There is no CORS.
 *           A route is served by its row in wire/, which checks its input (serve.ts).
 * Never     Knows a route of the product.
 */
export { Accounts, accountsFor } from './accounts.ts';
export { admit, carries, isOwner } from './admit.ts';
export { countConnection } from './connection-places.ts';
export { createApp } from './create-app.ts';
export { type Door, type Listening, listen, maxConnections } from './listen.ts';
export { type RateLimit, RateLimiter } from './rate-limit.ts';
export { readBytes, readJson, readJsonIfAny } from './read-body.ts';
export { wholeNumber } from './read-query.ts';
export { seenAs, TrustedProxies } from './seen-as.ts';
export { isFromBrowser, isLoopback } from './sender.ts';
export { type Call, countAsHeld, type Handler, type Handlers, isCountedAsHeld, serve } from './serve.ts';
export type { TlsFiles } from './tls.ts';
