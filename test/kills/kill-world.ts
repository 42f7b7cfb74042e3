import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { systemClock } from '../../src/base/index.ts';
import { FleetClient, GatewayClient } from '../../src/client/index.ts';
import { openEmbedded, openPostgres, type Sql } from '../../src/db/index.ts';
import { readSession } from '../../src/gateway/index.ts';
import { openMailStore } from '../../src/mail/index.ts';
import { detach } from '../../src/session/index.ts';
import { ReplicaAgent } from '../fleet/replica-agent.ts';
import { TEMPLATES } from '../support/fleet.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { drawnFor } from '../support/sample.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';
import { Doomed } from './doomed.ts';
import { SmallDisk } from './small-disk.ts';
import type { VictimKind } from './stages.ts';

const DIST = path.resolve(import.meta.dirname, '../../dist');
const FAULTS = path.resolve(import.meta.dirname, '../support/faults.mjs');

/** Sweeps every second; a request is due after two seconds, and again after eight. */
const QUICK_SWEEPS = {
  REQUEST_NUDGE_SWEEPER_INTERVAL_S: '1',
  REQUEST_NUDGE_STALE_AFTER_S: '2',
  REQUEST_NUDGE_RENUDGE_AFTER_S: '8',
};

const IDLE_AGENTS = 2;

export interface KillableAgent extends WorldAgent {
  gateway: Doomed;
  workspaceId: string;
  /** The fleet, as this agent. */
  fleet: FleetClient;
}

/** Which writes fail, and of which process, in the format of faults.mjs. */
export type Faults = Record<VictimKind, string>;
export const NO_FAULTS: Faults = { gateway: '', server: '' };

export type Database = 'the embedded database' | 'PostgreSQL';

/** A fleet server, some scripted agents and their gateways, on their own disk; all but the agents can be killed. */
export class KillWorld {
  readonly disk = new SmallDisk();
  /** For files that must be written although the disk is full. */
  readonly notes = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-kills-'));
  readonly agents: KillableAgent[] = [];
  /** Agents of a fleet that only receive nudges; they are not killed. */
  readonly idle: ReplicaAgent[] = [];
  server!: Doomed;
  /** The fleet, as a person. */
  user!: FleetClient;
  #world!: TestWorld;
  #token = '';
  #postgres: TestPostgres | undefined;
  #databaseUrl: string | undefined;
  #mail = new Map<string, readonly { subject: string }[]>();

  static async open(database: Database, agents: number): Promise<KillWorld> {
    const world = new KillWorld();
    try {
      world.setFaults(NO_FAULTS);
      for (const kind of ['gateway', 'server'] as const)
        fs.writeFileSync(`${world.#faultsFile(kind)}.hits`, '');
      if (database === 'PostgreSQL') {
        world.#postgres = await startPostgres();
        world.#databaseUrl = await world.#postgres.createDatabase();
      }
      // A copy of a template is much faster than a new database.
      else await (await world.openDatabase()).close();
      await world.#openServer();
      for (let n = 1; n <= agents; n++) await world.#launch(`agent-${n}`);
      for (let n = 1; n <= IDLE_AGENTS; n++) await world.#join(`idle-${n}`);
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  /** In the format of faults.mjs; empty: none. */
  setFaults(faults: Faults): void {
    for (const kind of ['gateway', 'server'] as const) fs.writeFileSync(this.#faultsFile(kind), faults[kind]);
  }

  /** From now on nothing can be written, or only what the faults let through. */
  setFull(full: boolean, otherwise: Faults): void {
    if (!this.disk.isReal) this.setFaults(full ? { gateway: 'ENOSPC', server: 'ENOSPC' } : otherwise);
    else if (full) this.disk.fill();
    else this.disk.empty();
  }

  get refusedWrites(): number {
    const kinds = ['gateway', 'server'] as const;
    const hits = kinds.map((kind) => fs.readFileSync(`${this.#faultsFile(kind)}.hits`, 'utf8'));
    return hits.join('').split('\n').length - 1;
  }

  /** The server's own database; it must have ended. */
  openDatabase(): Promise<Sql> {
    const directory = path.join(this.disk.directory, 'server', 'database');
    return this.#databaseUrl
      ? openPostgres({ url: this.#databaseUrl })
      : openEmbedded({ directory, templateDirectory: TEMPLATES });
  }

  /** All mail that reached an agent, including archived mail. Read once. */
  async mailOf(name: string): Promise<readonly { subject: string }[]> {
    const known = this.#mail.get(name);
    if (known) return known;
    const { root } = this.agents.find((agent) => agent.name === name)!.facts;
    const { address } = readSession(root).manifest.launch_plan.mailbox!;
    const store = openMailStore({ root: this.#world.context.settings.mailboxDir, clock: systemClock });
    const found: { subject: string }[] = [];
    try {
      for (const box of ['inbox', 'archive']) {
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const page = await store.mailbox(address).list({ box, archived: null, limit: 100, cursor });
          found.push(...page.messages);
          cursor = page.next_cursor;
        }
      }
    } finally {
      await store.close();
    }
    this.#mail.set(name, found);
    return found;
  }

  /** The agents whose tmux server died; this test does not kill it. */
  lostTerminals(): string[] {
    return this.agents.filter(({ facts }) => !isSocketServed(facts.tmuxSocket!)).map(({ name }) => name);
  }

  /** Stops everything cleanly. */
  async endAll(): Promise<void> {
    await Promise.all(this.idle.map((agent) => agent.stop()));
    await Promise.all(this.agents.map(({ gateway }) => gateway.end()));
    await this.server.end();
  }

  async close(): Promise<void> {
    await Promise.all(this.idle.map((agent) => agent.stop()));
    await Promise.all(this.agents.map(({ gateway }) => gateway.end()));
    await this.#world?.close();
    await this.server?.end();
    await this.#postgres?.stop();
    this.disk.close();
    fs.rmSync(this.notes, { recursive: true, force: true });
  }

  #faultsFile(kind: keyof Faults): string {
    return path.join(this.notes, `${kind}-faults`);
  }

  async #openServer(): Promise<void> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const owner = new FleetClient({ url, timeoutMs: 2000 });
    this.server = new Doomed('server', {
      command: this.#withFaults('rouse.cjs', ['server', 'start', '--port', String(port)]),
      env: {
        ...plainEnvironment(),
        ...QUICK_SWEEPS,
        FAULTS_FILE: this.#faultsFile('server'),
        ROUSE_HOME: this.disk.directory,
        HOME: this.disk.directory,
        ...(this.#databaseUrl && { DATABASE_URL: this.#databaseUrl }),
      },
      errors: path.join(this.notes, 'server.log'),
      isReady: async () => (await owner.call('health', {})) !== undefined,
    });
    await this.server.stay();
    const tokenOfAdmin = path.join(this.disk.directory, 'server', 'admin-token');
    // It responds a moment before it has written this.
    while (!fs.existsSync(tokenOfAdmin)) await new Promise((resolve) => setTimeout(resolve, 20));
    const adminToken = fs.readFileSync(tokenOfAdmin, 'utf8').trim();
    const admin = new FleetClient({ url, token: adminToken });
    const { token } = await admin.createToken({ kind: 'user', subject: 'ana' });
    this.user = new FleetClient({ url, token, timeoutMs: 5000 });
    this.#token = token;
    const tokenFile = path.join(this.notes, 'token');
    fs.writeFileSync(tokenFile, token, { mode: 0o600 });
    this.#world = new TestWorld({ directory: path.join(this.disk.directory, 'world') });
    this.#world.fleet = { url, tokenFile };
  }

  async #launch(name: string): Promise<void> {
    // A tmux server may die of clients that come and go (docs/decisions/tmux-control-clients.md); here they do so all the time.
    this.#world.socket = path.join(this.#world.directory, `${name}.tmux`);
    const agent = await this.#world.agent(name, ['--turn', '20ms', '--act-on-mail', '--reply', '']);
    const { facts, base, root } = agent;
    await agent.client.call('notifier.enable', { body: { interval_seconds: 5, repeat: 'backoff' } });
    await detach(this.#world.context, { kind: 'local', facts });
    const { hostname: host, port } = new URL(base);
    const gateway = new Doomed(name, {
      command: this.#withFaults('gateway.js', ['--gateway-root', root, '--host', host, '--port', port]),
      env: {
        ...this.#world.context.env,
        HOUMAO_GATEWAY_EXECUTION_MODE: 'detached_process',
        FAULTS_FILE: this.#faultsFile('gateway'),
      },
      errors: path.join(this.notes, `${name}.log`),
      isReady: async () => (await agent.client.health({ timeoutMs: 1000 })) !== undefined,
    });
    const token = fs.readFileSync(path.join(facts.root, 'fleet', 'token'), 'utf8').trim();
    this.agents.push({
      ...agent,
      gateway,
      client: new GatewayClient({ host, port: Number(port), timeoutMs: 5000 }),
      workspaceId: (await this.user.agent(name)).workspace_id,
      fleet: new FleetClient({ url: this.user.url, token, timeoutMs: 5000 }),
    });
  }

  async #join(name: string): Promise<void> {
    const { url } = this.user;
    const random = drawnFor(name);
    const agent = new ReplicaAgent(name, { urls: [url], token: this.#token }, () => random.next() < 0.2);
    await agent.start();
    this.idle.push(agent);
  }

  #withFaults(program: string, args: string[]): string[] {
    return [process.execPath, '--import', FAULTS, path.join(DIST, program), ...args];
  }
}

function isSocketServed(socket: string): boolean {
  return spawnSync('tmux', ['-S', socket, 'has-session'], { stdio: 'ignore' }).status === 0;
}

function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(TMUX|HOUMAO_|ROUSE_|DATABASE_URL|NODE_EXTRA_CA_CERTS$)/.test(name),
    ),
  );
}

/** A free port; a restarted process listens on it again. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
