import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as net from 'node:net';
import * as path from 'node:path';
import { text } from 'node:stream/consumers';
import { systemClock } from '../../src/base/index.ts';
import { migrate, openEmbedded } from '../../src/db/index.ts';
import { createToken, ensureOrg, FLEET_MIGRATIONS, registerWorkspace } from '../../src/fleet/index.ts';
import { serverFiles } from '../../src/fleet/server-files.ts';
import { openMailStore } from '../../src/mail/index.ts';
import { ask, asProgram } from '../../test/attack/call.ts';
import { TEMPLATES } from '../../test/support/fleet.ts';
import type { Named } from '../../test/support/good-bodies.ts';
import { TestWorld, type WorldAgent } from '../../test/support/test-world.ts';

/** More names than a typo is compared with. */
const AGENTS = 1000;
const MAILBOXES = 300;

/** A gateway and a fleet server with an embedded database and much data, which report how long their event loop stopped. */
export class ProbedServers {
  readonly world = new TestWorld();
  agent!: WorldAgent;
  fleetPort = 0;
  to!: Named;
  admin = '';
  agentToken = '';
  #server!: ChildProcess;

  async open(): Promise<this> {
    const { env, settings } = this.world.context;
    await this.#fill();
    const words = [
      path.join(process.env['ROUSE_ROOT']!, 'dist/rouse.cjs'),
      '--print-json',
      'server',
      'start',
    ];
    this.#server = spawn(process.execPath, [...words, '--port', '0'], {
      env: {
        ...env,
        ...this.#probe('fleet'),
        HOUMAO_GLOBAL_RUNTIME_DIR: settings.runtimeDir,
        HOUMAO_GLOBAL_MAILBOX_DIR: settings.mailboxDir,
        HOUMAO_GLOBAL_REGISTRY_DIR: settings.registryDir,
        ROUSE_TMUX_SOCKET: settings.tmuxSocket,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(this.#server.stdout!, 'data')) as [Buffer];
    this.fleetPort = Number(new URL(JSON.parse(String(line)).url as string).port);
    this.world.gatewayEnv = this.#probe('gateway');
    this.agent = await this.world.agent('ana');
    // Nothing is typed, so requests wait.
    await this.agent.control.send('open-dialog');
    await this.#post();
    return this;
  }

  get ports(): { gateway: number; fleet: number } {
    return { gateway: Number(new URL(this.agent.base).port), fleet: this.fleetPort };
  }

  #probe(server: string): Record<string, string> {
    const probe = path.join(process.env['ROUSE_ROOT']!, 'bench/support/loop-probe.mjs');
    return {
      NODE_OPTIONS: `--import=${probe}`,
      LOOP_PROBE: path.join(this.world.directory, `${server}.probe`),
    };
  }

  /** In milliseconds: the longest stop since the last call, or how long parsing the worst body takes there. */
  async probe(server: 'gateway' | 'fleet', what: 'stop' | 'parse' = 'stop'): Promise<number> {
    const socket = net.connect(path.join(this.world.directory, `${server}.probe`));
    socket.write(what);
    return Number(await text(socket));
  }

  async #fill(): Promise<void> {
    const { database } = serverFiles(this.world.home);
    const sql = await openEmbedded({ directory: database, templateDirectory: TEMPLATES });
    await migrate(sql, FLEET_MIGRATIONS);
    const { id: orgId } = await ensureOrg(sql, 'default');
    const { workspaceId, token } = await registerWorkspace(sql, {
      orgId,
      agentId: 'bea',
      name: 'bea',
      sessionId: 's',
    });
    this.agentToken = token;
    await sql.query(
      `INSERT INTO workspaces (id, org_id, agent_id, name) SELECT gen_random_uuid(), $1, 'id-' || n,
         rpad('agent-' || n, 64, 'name') FROM generate_series(1, ${AGENTS}) n`,
      [orgId],
    );
    this.admin = (await createToken(sql, { kind: 'admin', orgId: null, subject: 'chief' })).token;
    const absent = '00000000-0000-4000-8000-000000000000';
    this.to = {
      agent: 'ana',
      address: '',
      message: '',
      workspace: workspaceId,
      request: absent,
      queued: absent,
      token: absent,
      directory: this.world.directory,
    };
    await sql.close();
  }

  async #post(): Promise<void> {
    const store = openMailStore({ root: this.world.context.settings.mailboxDir, clock: systemClock });
    for (let n = 0; n < MAILBOXES; n++)
      store.register({
        address: `mailbox-${n}@houmao.localhost`,
        owner_principal_id: `HOUMAO-${n}`,
        mode: 'safe',
      });
    await store.close();
    const port = this.ports.gateway;
    const status = await ask(asProgram({ port, method: 'GET', path: '/v1/mail/status' }));
    const body = { subject: 'a', body_content: 'a '.repeat(20_000) };
    let posted = '';
    for (let n = 0; n < 200; n++)
      posted = (await ask(asProgram({ port, method: 'POST', path: '/v1/mail/post', body }))).text;
    this.to.address = (JSON.parse(status.text) as { address: string }).address;
    this.to.message = (JSON.parse(posted) as { message: { message_ref: string } }).message.message_ref;
  }

  /** Removes accepted work, so no limit is reached. */
  async clear(): Promise<void> {
    const { client } = this.agent;
    const { requests } = await client.call('requests.list', { state: 'accepted' });
    for (const { request_id } of requests)
      await client.request('POST', `/v1/requests/${request_id}/cancel`).catch(() => {});
  }

  async close(): Promise<void> {
    await this.world.close().catch(() => {});
    if (this.#server?.exitCode === null && this.#server.signalCode === null) {
      this.#server.kill('SIGTERM');
      await once(this.#server, 'exit');
    }
  }
}
