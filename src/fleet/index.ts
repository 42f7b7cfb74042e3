/**
 * Fleet: the server of many agents. Registry and heartbeats, tickets, the queue of messages to agents, sweepers.
 *
 * Promises  What was accepted is in the database before the response is sent; several servers may share one PostgreSQL.
 *           A message reaches an agent's own durable queue once; a ticket is announced at most once in its hour.
 * Never     Types into a terminal except through the lane of its session. Lets one tenant see another.
 * Errors    `unauthorized`, `forbidden`, `not_found`, `conflict`, `invalid`; `unavailable` when the database is away.
 */

export { hasItsOwnTools, proveBackup } from './backup.ts';
export { enqueue } from './delivery/index.ts';
export { refuseUnnamedProxy } from './front.ts';
export { createToken, ensureOrg } from './identity/index.ts';
export { nudgeSettings } from './nudge/index.ts';
export { registerWorkspace, resolveWorkspace } from './registry/index.ts';
export { backupServer, initServer, restoreServer, runServer } from './run-server.ts';
export { FLEET_MIGRATIONS } from './schema/index.ts';
export { type RunningServer, startServer } from './server.ts';
export type { ServerConfig } from './server-config.ts';
export { serverFiles } from './server-files.ts';
