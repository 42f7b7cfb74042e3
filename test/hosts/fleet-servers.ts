import * as fs from 'node:fs';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { FleetClient } from '../../src/client/index.ts';
import { migrate, openPostgres, type Sql } from '../../src/db/index.ts';
import { type Child, startChild } from '../../src/db/testing.ts';
import { createToken, ensureOrg, FLEET_MIGRATIONS } from '../../src/fleet/index.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

const PROGRAM = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');

/** Two servers on one durable PostgreSQL, each with a fixed address. */
export class FleetServers {
  readonly postgres: TestPostgres;
  readonly sql: Sql;
  readonly token: string;
  readonly ports: number[];
  #address: string;
  #url: string;
  #directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-servers-'));
  #children: (Child | undefined)[] = [];

  private constructor(
    on: { postgres: TestPostgres; sql: Sql; token: string; ports: number[] },
    at: string,
    url: string,
  ) {
    this.postgres = on.postgres;
    this.sql = on.sql;
    this.token = on.token;
    this.ports = on.ports;
    this.#address = at;
    this.#url = url;
  }

  static async open(address: string): Promise<FleetServers> {
    const postgres = await startPostgres({ fsync: true });
    const url = await postgres.createDatabase();
    const sql = await openPostgres({ url });
    await migrate(sql, FLEET_MIGRATIONS);
    const { id: orgId } = await ensureOrg(sql, 'default');
    await createToken(sql, { kind: 'admin', orgId: null, subject: 'root' });
    const { token } = await createToken(sql, { kind: 'user', orgId, subject: 'ana' });
    const ports = [await freePort(address), await freePort(address)];
    const servers = new FleetServers({ postgres, sql, token, ports }, address, url);
    await Promise.all([servers.start(0), servers.start(1)]);
    return servers;
  }

  client(index: number, token = this.token): FleetClient {
    return new FleetClient({ url: `http://${this.#address}:${this.ports[index]}`, token, timeoutMs: 5000 });
  }

  async start(index: number): Promise<void> {
    const child = startChild(
      PROGRAM,
      ['server', 'start', '--host', this.#address, '--port', String(this.ports[index]), '--print-json'],
      {
        ROUSE_HOME: path.join(this.#directory, `home-${index}`),
        DATABASE_URL: this.#url,
        REQUEST_NUDGE_SWEEPER_DISABLED: 'true',
      },
    );
    this.#children[index] = child;
    await child.until((lines) => lines.length > 0);
  }

  async end(index: number, how: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#children[index];
    child?.process.kill(how);
    await child?.ended;
  }

  async close(): Promise<void> {
    for (const index of this.#children.keys()) await this.end(index, 'SIGKILL');
    await this.sql.close();
    await this.postgres.stop();
    fs.rmSync(this.#directory, { recursive: true, force: true });
  }
}

async function freePort(address: string): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, address, resolve);
  });
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
