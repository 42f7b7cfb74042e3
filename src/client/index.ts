/**
 * Client: the routes of a gateway and of the fleet server as typed calls, for the command line, the fleet server and tests.
 *
 * Promises  Starts in a few milliseconds: node:http, no schemas, no fetch.
 *           Never uses a proxy, whatever the environment says. Follows no redirect.
 *           A refusal is thrown as the error the gateway meant, with its detail and facts.
 * Never     Retries: the error of a call that changes something and got no response says that the outcome is not known.
 * Errors    `unavailable` when no server, or another program, responds; otherwise the error of the server.
 */
export * from './agent-token.ts';
export type { ServerEvent } from './event-stream.ts';
export type { Exchange, ServerKind, Target } from './exchange.ts';
export { exchange } from './exchange.ts';
export { failureOf } from './failure.ts';
export * from './fleet-client.ts';
export * from './fleet-mail.ts';
export { type FleetServers, fleetUrls } from './fleet-servers.ts';
export * from './gateway-client.ts';
export * from './owner-token.ts';
export { pressChoice } from './press-choice.ts';
export * from './question.ts';
export * from './session-fleet.ts';
export * from './this-host.ts';
export * from './tickets-client.ts';
