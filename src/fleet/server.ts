import * as os from 'node:os';
import type { Context, Hono } from 'hono';
import { Emitter, Ending, forbidden, messageOf, newUuid, sha256 } from '../base/index.ts';
import { migrate, openEmbedded, openPostgres, type Sql } from '../db/index.ts';
import { hostNameOf, SERVER_SETTINGS, waitsDocument } from '../domain/index.ts';
import {
  Accounts,
  admit,
  carries,
  createApp,
  type Door,
  isLoopback,
  listen,
  maxConnections,
} from '../http/index.ts';
import type { SessionContext } from '../session/index.ts';
import { isPageDocument, isPagePath } from '../wire/index.ts';
import { TaskWatch } from './a2a/index.ts';
import { backupEmbedded } from './backup.ts';
import { CALL_CHANNEL } from './calls/index.ts';
import { DatabaseWatch } from './database-watch.ts';
import { deliverySweep, enqueue, enqueueAll } from './delivery/index.ts';
import { findHosting } from './find-hosting.ts';
import { HeldPlaces } from './held-places.ts';
import { environmentForAgents, type HostedAgents } from './hosting.ts';
import {
  a2aRoutes,
  adminRoutes,
  authenticate,
  callerOf,
  carryRemoteCall,
  deliveryRoutes,
  gatewayElsewhere,
  HttpCounts,
  isBeat,
  isSending,
  mcpRoute,
  orgTurns,
  registryRoutes,
  requestLog,
  requireCaller,
  serverRoutes,
  sweeperRoutes,
  whileGood,
} from './http/index.ts';
import { hasServerAdmin } from './identity/index.ts';
import { mailRoutes, mailVersions, partsSweep } from './mail/index.ts';
import { FleetNotices } from './notices/index.ts';
import { NUDGE_DEFAULTS, NUDGE_KIND, nothingToNudge, nudgeSweep } from './nudge/index.ts';
import { endWhenIdle, servePage } from './page/index.ts';
import { Arrivals, livenessSweep, QuietBeats } from './registry/index.ts';
import { keepingOf, retentionSweep } from './retention.ts';
import { FLEET_MIGRATIONS } from './schema/index.ts';
import type { DatabaseConfig, ServerConfig } from './server-config.ts';
import { clockSweep, Sweepers } from './sweep/index.ts';
import { orphanSweep, ticketRoutes } from './tickets/index.ts';
import { listFleetWaits, waitsSweep, withoutMailboxes } from './waits/index.ts';

export interface RunningServer {
  instanceId: string;
  host: string;
  port: number;
  /** For code in the same process; closes with the server. */
  sql: Sql;
  /** Stops accepting requests, lets running ones finish, then closes the database. Calling it twice is harmless. */
  stop(): Promise<void>;
  /** Resolves when the server has stopped, however that was requested. */
  stopped: Promise<void>;
}

const MESSAGE_LEASE_SECONDS = 30;

/** Opens the database and brings its tables up to date. */
export async function openDatabase(config: DatabaseConfig): Promise<Sql> {
  const {
    databaseUrl,
    databaseDirectUrl: directUrl,
    databaseDirectory: directory,
    templateDirectory,
    archiveDirectory,
    clock,
    log,
  } = config;
  const sql = databaseUrl
    ? await openPostgres({ url: databaseUrl, directUrl, clock })
    : await openEmbedded({
        directory,
        clock,
        log,
        ...(templateDirectory && { templateDirectory }),
        ...(archiveDirectory && { archiveDirectory }),
      });
  try {
    await migrate(sql, FLEET_MIGRATIONS);
    return sql;
  } catch (error) {
    await sql.close();
    throw error;
  }
}

/** Wires the rooms together, in the order in which they may fail. A start that fails undoes what it began. */
export async function startServer(config: ServerConfig): Promise<RunningServer> {
  const ending = new Ending();
  try {
    return await start(config, ending);
  } catch (error) {
    await ending.run().catch((cause: unknown) => {
      config.log.error('not everything could be stopped', { cause: messageOf(cause) });
    });
    throw error;
  }
}

async function start(config: ServerConfig, ending: Ending): Promise<RunningServer> {
  const { clock, log } = config;
  let database: Sql | undefined;
  ending.add(() => database?.close());
  const door: Door = { app: undefined, accounts: config.accounts ?? new Accounts() };
  const listening = await listen(door, config.host, config.port, config.tls);
  ending.add(() => listening.close());
  database = await openDatabase(config);
  const watched = new DatabaseWatch(database, clock).start();
  ending.add(() => watched.stop());
  const { sql } = watched;
  await prepareDatabase(sql, config);
  const instanceId = newUuid();
  const sweepers = new Sweepers({ sql, clock, log, holder: instanceId });
  ending.add(() => sweepers.stop());
  addSweeps(sweepers, config);
  const arrivals = await startListening(new Arrivals(clock), sql, ending);
  const answers = await startListening(new Arrivals(clock, CALL_CHANNEL), sql, ending);
  const watch = new TaskWatch(clock);
  await watch.start(sql);
  ending.add(() => watch.stop());
  const stopping = new AbortController();
  // Late in the list, so that held responses go out before anything is closed.
  ending.add(() => stopping.abort());
  const { host, port } = listening;
  const stopped = new Emitter<void>();
  const whenStopped = stopped.next();
  const stop = (): Promise<void> => ending.run().finally(() => stopped.emit());
  const shutdown = (): void => void stop();
  const { agents: own } = config;
  const place = { host, port, instanceId, shutdown, log };
  const session = own && { ...own, env: environmentForAgents(own.env), clock };
  const agents =
    session && (await findHosting()?.start({ ...place, session, ownTokenFile: own.ownTokenFile }));
  if (agents) ending.add(() => agents.close());
  door.app = await routes(config, {
    sql,
    accounts: door.accounts,
    agents,
    session,
    instanceId,
    sweepers,
    arrivals,
    answers,
    watch,
    stopping: stopping.signal,
    held: heldPlaces(),
    shutdown,
    ending,
    databaseTroubles: () => watched.reasons,
    reasons: () => [...watched.reasons, ...sweepers.troubles(), ...(config.troubles?.reasons ?? [])],
  });
  sweepers.start();
  if (own) ending.add(noticesOf(config, sql, own));
  return { instanceId, host, port, sql, stop, stopped: whenStopped };
}

/** Starts what notifies people of this home. Returns what ends it. */
function noticesOf(
  { databaseUrl, databaseDirectory, livenessSeconds, clock, log }: ServerConfig,
  sql: Sql,
  { settings, env }: NonNullable<ServerConfig['agents']>,
): () => Promise<void> {
  const notices = new FleetNotices({
    ...{ sql, clock, log, runtimeDir: settings.runtimeDir },
    database: sha256(databaseUrl ?? databaseDirectory).slice(0, 12),
    host: hostNameOf(env['ROUSE_HOST_NAME'], os.hostname()),
    livenessSeconds: livenessSeconds ?? SERVER_SETTINGS.livenessSeconds.fallback,
  }).start();
  return () => notices.stop();
}

/** The remaining connections are for calls that return at once. */
const heldPlaces = (): HeldPlaces => new HeldPlaces(Math.floor(maxConnections() * 0.75));

async function startListening(arrivals: Arrivals, sql: Sql, ending: Ending): Promise<Arrivals> {
  await arrivals.start(sql);
  ending.add(() => arrivals.stop());
  return arrivals;
}

async function prepareDatabase(sql: Sql, { host, prepare }: ServerConfig): Promise<void> {
  await refuseUnguarded(sql, host);
  await prepare?.(sql);
}

/** Beyond loopback only tokens keep strangers out, so someone must have one. */
async function refuseUnguarded(sql: Sql, host: string): Promise<void> {
  if (isLoopback(host) || (await hasServerAdmin(sql))) return;
  throw forbidden(`listening on ${host} needs an admin token, and the database has none`, {
    hint: 'create one with "rouse server init"',
  });
}

function addSweeps(sweepers: Sweepers, config: ServerConfig): void {
  const {
    clock,
    log,
    nudge = NUDGE_DEFAULTS,
    livenessSeconds = SERVER_SETTINGS.livenessSeconds.fallback,
  } = config;
  sweepers.add(livenessSweep({ windowSeconds: livenessSeconds, startedAt: clock.now(), log }));
  const keeping = config.keeping ?? keepingOf({}, log);
  const { messages: completedDays, deadLetters: deadDays } = keeping;
  sweepers.add(deliverySweep({ completedDays, deadDays }));
  sweepers.add(retentionSweep(keeping));
  sweepers.add(clockSweep());
  sweepers.add(partsSweep());
  sweepers.add(orphanSweep(enqueue));
  sweepers.add(waitsSweep(clock));
  if (nudge.disabled) log.info('sweeper request-nudge is disabled by REQUEST_NUDGE_SWEEPER_DISABLED');
  else sweepers.add(nudgeSweep({ settings: nudge, enqueueAll, log }));
}

interface Rooms {
  sql: Sql;
  accounts: Accounts;
  agents: HostedAgents | undefined;
  /** Where this host keeps its sessions; undefined: it manages none. */
  session: SessionContext | undefined;
  instanceId: string;
  sweepers: Sweepers;
  arrivals: Arrivals;
  /** Callers that wait for a gateway on another host. */
  answers: Arrivals;
  watch: TaskWatch;
  stopping: AbortSignal;
  held: HeldPlaces;
  ending: Ending;
  /** Stops the server. */
  shutdown: () => void;
  /** What keeps the database from being used. */
  databaseTroubles: () => string[];
  /** Why its health is degraded. */
  reasons: () => string[];
}

async function routes(config: ServerConfig, rooms: Rooms): Promise<Hono> {
  const { host, hosts, clock, log, limits, leaseSeconds = MESSAGE_LEASE_SECONDS, livenessSeconds } = config;
  const { sql, sweepers, ending } = rooms;
  const counts = new HttpCounts();
  const { proxies } = config;
  const app = createApp({
    documents: isPageDocument,
    wire: config.wire,
    host,
    hosts,
    proxies,
    log,
    watch: requestLog(log, clock, counts),
  });
  const { ownerToken } = config;
  const checksItself = (context: Context): boolean => isSending(context) || isBeat(context);
  const hasOwnersToken = (context: Context): boolean =>
    ownerToken !== undefined && carries(context, ownerToken);
  app.use(authenticate(sql, { clock, counts, hasOwnersToken, checksItself, ...(limits && { limits }) }));
  app.use(whileGood(sql, clock));
  app.use(orgTurns());
  app.use(
    admit({
      host,
      accounts: rooms.accounts,
      hasToken: (context) => callerOf(context) !== undefined,
      hasOwnersToken,
      tokenHint:
        'send "Authorization: Bearer <token>"; "rouse tokens create --kind user --subject NAME" creates one',
      // Beyond loopback each route checks for the token it needs.
      ...(!isLoopback(host) && { open: () => true }),
      ownDoor: isPagePath,
    }),
  );
  serverRoutes(app, { ...rooms, counts });
  const guards = { [NUDGE_KIND]: nothingToNudge };
  const quiet = new QuietBeats({ sql, clock, mailVersions });
  const beats = { leaseSeconds, livenessSeconds, guards, mailVersions, quiet };
  registryRoutes(app, { ...rooms, clock, log, ...beats });
  adminRoutes(app, sql, () => backupEmbedded(sql, config.databaseDirectory));
  sweeperRoutes(app, sweepers);
  const tickets = ticketRoutes(app, {
    ...rooms,
    clock,
    enqueue,
    waits: async (orgId) =>
      waitsDocument((await listFleetWaits(sql, orgId, clock.now())).map(withoutMailboxes), clock.now()),
    callerOf: requireCaller,
  });
  ending.add(() => tickets.close());
  deliveryRoutes(app, { sql, log });
  mailRoutes(app, { ...rooms, clock, log, callerOf: requireCaller });
  const { agents, stopping } = rooms;
  const shared = { ...rooms, clock, log, callerOf };
  agents?.serve(app, { sql, callerOf, stopping, remote: carryRemoteCall(shared) });
  const elsewhere = gatewayElsewhere(shared);
  a2aRoutes(app, { ...rooms, log, gatewayOf: elsewhere, publicUrl: config.publicUrl });
  const page = await servePage(app, { ...shared, enqueue, elsewhere, times: config.page });
  ending.add(() => page.close());
  if (config.endWhenIdleMs !== undefined)
    ending.add(endWhenIdle({ ...rooms, clock, log, sessions: page.sessions, idleMs: config.endWhenIdleMs }));
  const mcp = mcpRoute(app);
  ending.add(() => mcp.close());
  return app;
}
