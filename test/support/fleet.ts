import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { newUuid, silentLog, systemClock } from '../../src/base/index.ts';
import { FleetClient } from '../../src/client/index.ts';
import { migrate, openEmbedded, openPostgres, type Sql } from '../../src/db/index.ts';
import {
  createToken,
  ensureOrg,
  FLEET_MIGRATIONS,
  registerWorkspace,
  type ServerConfig,
  startServer,
} from '../../src/fleet/index.ts';
import { startPgbouncer } from './pgbouncer.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { sampled } from './sample.ts';

/** Initialising an embedded database takes seconds, so all tests of this machine and version copy one. */
export const TEMPLATES = path.join(os.tmpdir(), `rouse-test-templates-${process.getuid?.() ?? 0}`);

/** The database of one test file, with the fleet's tables. */
export interface TestDatabase {
  sql: Sql;
  /** For another server on the same database: a PostgreSQL URL, else undefined. */
  url: string | undefined;
  /** The directory of the embedded database, which only one process can open at a time. */
  directory: string | undefined;
  /** Makes an empty database of the same kind. It is closed with this one. */
  another(): Promise<Sql>;
  close(): Promise<void>;
}

const DATABASES: [string, () => Promise<TestDatabase>][] = [
  ['PostgreSQL', () => openTestPostgres()],
  ['PostgreSQL behind PgBouncer', () => openTestPostgres({ pooled: true })],
  ['the embedded database', openTestEmbedded],
];

/**
 * For `describe.each(databases(import.meta.filename))('… on %s', (_, open) => …)`: open in beforeAll, close in afterAll. One
 * of the two databases, drawn by the seed; both at full size.
 */
export const databases = (file: string): typeof DATABASES => sampled(file, DATABASES, 1);

export async function openTestPostgres({ pooled = false } = {}): Promise<TestDatabase> {
  const server = await startPostgres();
  const pooler = pooled ? await startPgbouncer(server, { mode: 'transaction' }) : undefined;
  const opened: Sql[] = [];
  const open = async (directUrl: string): Promise<Sql> => {
    const sql = await openPostgres(pooler ? { url: pooler.urlOf(directUrl), directUrl } : { url: directUrl });
    opened.push(sql);
    await migrate(sql, FLEET_MIGRATIONS);
    return sql;
  };
  const url = await server.createDatabase();
  return {
    sql: await open(url),
    url,
    directory: undefined,
    another: async () => open(await server.createDatabase()),
    close: async () => {
      for (const sql of opened) await sql.close();
      await pooler?.stop();
      await server.stop();
    },
  };
}

async function openTestEmbedded(): Promise<TestDatabase> {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-fleet-'));
  const opened: Sql[] = [];
  const open = async (directory: string): Promise<Sql> => {
    const sql = await openEmbedded({ directory, templateDirectory: TEMPLATES });
    opened.push(sql);
    await migrate(sql, FLEET_MIGRATIONS);
    return sql;
  };
  const directory = path.join(root, 'database');
  return {
    sql: await open(directory),
    url: undefined,
    directory,
    another: () => open(path.join(root, newUuid())),
    close: async () => {
      for (const sql of opened) await sql.close();
      fs.rmSync(root, { recursive: true, force: true });
    },
  };
}

export interface TestAgent {
  workspaceId: string;
  agentId: string;
  token: string;
  client: FleetClient;
}

/** A real server in this process on a free port, with its own database, an org and a token of each kind. */
export interface TestFleet {
  url: string;
  /** The server's database, for tests that read rows or shift their times. */
  sql: Sql;
  orgId: string;
  /** An administrator of the whole server. */
  admin: FleetClient;
  /** An administrator of the org `default` only. */
  orgAdmin: FleetClient;
  /** The person `ana` of the org `default`. */
  user: FleetClient;
  tokens: { admin: string; orgAdmin: string; user: string };
  /** Registers an agent and returns a client with its token. */
  agent(agentId: string, options?: { name?: string; orgId?: string; sessionId?: string }): Promise<TestAgent>;
  /** Makes a new org with the tokens of a person and of an administrator. */
  tenant(name: string): Promise<{ orgId: string; user: FleetClient; admin: FleetClient }>;
  as(token: string | undefined): FleetClient;
  stop(): Promise<void>;
}

export interface TestFleetOptions {
  /** Default: embedded. */
  on?: 'postgres' | 'embedded';
  /** The settings of the server that the test is about. */
  config?: Partial<ServerConfig>;
}

export async function startFleet({ on = 'embedded', config }: TestFleetOptions = {}): Promise<TestFleet> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-fleet-'));
  const postgres: TestPostgres | undefined = on === 'postgres' ? await startPostgres() : undefined;
  const databaseUrl = await postgres?.createDatabase();
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    databaseUrl,
    databaseDirectory: path.join(directory, 'database'),
    templateDirectory: TEMPLATES,
    clock: systemClock,
    log: silentLog,
    limits: { requests: { burst: 1e6, perSecond: 1e6 }, badTokens: { burst: 1e6, perSecond: 1e6 } },
    ...config,
  });
  const { sql } = server;
  const url = `http://127.0.0.1:${server.port}`;
  const as = (token: string | undefined): FleetClient => new FleetClient({ url, token });
  const org = await ensureOrg(sql, 'default');
  const tokenOf = async (wanted: Parameters<typeof createToken>[1]): Promise<string> =>
    (await createToken(sql, wanted)).token;
  const tokens = {
    admin: await tokenOf({ kind: 'admin', orgId: null, subject: 'root' }),
    orgAdmin: await tokenOf({ kind: 'admin', orgId: org.id, subject: 'lead' }),
    user: await tokenOf({ kind: 'user', orgId: org.id, subject: 'ana' }),
  };
  return {
    url,
    sql,
    orgId: org.id,
    tokens,
    admin: as(tokens.admin),
    orgAdmin: as(tokens.orgAdmin),
    user: as(tokens.user),
    as,
    async agent(agentId, { name = agentId, orgId = org.id, sessionId = `session-of-${agentId}` } = {}) {
      const { workspaceId, token } = await registerWorkspace(sql, { orgId, agentId, name, sessionId });
      return { workspaceId, agentId, token, client: as(token) };
    },
    async tenant(name) {
      const { id } = await ensureOrg(sql, name);
      return {
        orgId: id,
        user: as(await tokenOf({ kind: 'user', orgId: id, subject: `person-of-${name}` })),
        admin: as(await tokenOf({ kind: 'admin', orgId: id, subject: `admin-of-${name}` })),
      };
    },
    async stop() {
      await server.stop();
      await postgres?.stop();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}
