import { armCrashPoint, newUuid, silentLog, systemClock } from '../../src/base/index.ts';
import { startHosting } from '../../src/hosting/server/index.ts';
import { Accounts, admit, createApp, type Door, listen } from '../../src/http/index.ts';
import type { SessionContext } from '../../src/session/index.ts';

/**
 * The managed agents of a server in a process of their own, for tests that kill it: without the database, which they use
 * only to look up tokens. Prints its port.
 */
const { port, ...session } = JSON.parse(process.argv[2]!) as Omit<SessionContext, 'clock'> & { port: number };
const host = '127.0.0.1';
armCrashPoint(process.env['ROUSE_CRASH_AT']);
const door: Door = { app: undefined, accounts: new Accounts() };
const listening = await listen(door, host, port);
const agents = await startHosting({
  host,
  port: listening.port,
  instanceId: newUuid(),
  log: silentLog,
  session: { ...session, clock: systemClock },
  shutdown: () => process.exit(0),
});
const app = createApp({ host, log: silentLog });
const { signal: stopping } = new AbortController();
app.use(admit({ host, accounts: door.accounts, hasToken: () => false, tokenHint: 'none is good here' }));
agents.serve(app, { stopping, sql: undefined as never, callerOf: () => undefined });
door.app = app;
process.stdout.write(`${listening.port}\n`);
