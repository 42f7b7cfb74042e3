import type { Hono } from 'hono';
import { type Clock, Ending, type Log, newUuid } from '../base/index.ts';
import { migrate, openEmbedded, openPostgres, type Sql } from '../db/index.ts';
import { createApp, type Door, listen } from '../http/index.ts';
import { enqueue } from './delivery/index.ts';
import { authenticate, requireCaller, sweeperRoutes } from './http/index.ts';
import { NUDGE_DEFAULTS, type NudgeSettings, nudgeSweep } from './nudge/index.ts';
import { requestRoutes } from './requests/index.ts';
import { FLEET_MIGRATIONS } from './schema/index.ts';
import { Sweepers } from './sweep/index.ts';

export interface ServerConfig {
  host: string;
  port: number;
  /** A PostgreSQL server; undefined: the embedded database in `databaseDirectory`. */
  databaseUrl: string | undefined;
  databaseDirectory: string;
  /** Where an initialised embedded database is kept for copying. */
  templateDirectory?: string | undefined;
  /** Default: as the contract says. */
  nudge?: NudgeSettings;
  clock: Clock;
  log: Log;
}

export interface RunningServer {
  instanceId: string;
  host: string;
  port: number;
  /** For those in the same process; it closes with the server. */
  sql: Sql;
  /** Stops taking requests, lets those under way finish, then closes the database. Calling twice is harmless. */
  stop(): Promise<void>;
}

export function openDatabase({
  databaseUrl,
  databaseDirectory,
  templateDirectory,
  clock,
  log,
}: Omit<ServerConfig, 'host' | 'port'>): Promise<Sql> {
  return databaseUrl
    ? openPostgres({ url: databaseUrl, clock })
    : openEmbedded({ directory: databaseDirectory, log, ...(templateDirectory && { templateDirectory }) });
}

/** Wires the rooms together, in the order in which they may fail. A start that fails undoes what it had begun. */
export async function startServer(config: ServerConfig): Promise<RunningServer> {
  const ending = new Ending();
  try {
    return await start(config, ending);
  } catch (error) {
    await ending.run();
    throw error;
  }
}

async function start(config: ServerConfig, ending: Ending): Promise<RunningServer> {
  const door: Door = { app: undefined };
  const listening = await listen(door, config.host, config.port);
  const sql = await openDatabase(config);
  ending.add(() => sql.close());
  ending.add(() => listening.close());
  await migrate(sql, FLEET_MIGRATIONS);
  const instanceId = newUuid();
  const sweepers = new Sweepers({ sql, clock: config.clock, log: config.log, holder: instanceId });
  ending.add(() => sweepers.stop());
  addSweeps(sweepers, config);
  door.app = routes(config, sql, { instanceId, sweepers, ending });
  sweepers.start();
  return { instanceId, host: listening.host, port: listening.port, sql, stop: () => ending.run() };
}

function addSweeps(sweepers: Sweepers, { nudge = NUDGE_DEFAULTS, log }: ServerConfig): void {
  if (!nudge.disabled) sweepers.add(nudgeSweep({ settings: nudge, enqueue, log }));
}

interface Rooms {
  instanceId: string;
  sweepers: Sweepers;
  ending: Ending;
}

function routes({ host, clock, log }: ServerConfig, sql: Sql, { instanceId, sweepers, ending }: Rooms): Hono {
  const app = createApp({ host, log });
  app.use(authenticate(sql));
  app.get('/health', (context) =>
    context.json({
      status: 'ok',
      houmao_service: 'houmao-server',
      instance_id: instanceId,
      pid: process.pid,
    }),
  );
  sweeperRoutes(app, sweepers);
  const requests = requestRoutes(app, { sql, clock, enqueue, callerOf: requireCaller });
  ending.add(() => requests.close());
  return app;
}
