import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { vi } from 'vitest';
import { openPostgres, type Sql } from '../../src/db/index.ts';
import type { Grant } from '../../src/domain/index.ts';
import { createToken, enqueue, ensureOrg, registerWorkspace } from '../../src/fleet/index.ts';
import { operatorMailbox } from '../../src/fleet/mail/mailbox-rows.ts';
import type { Named } from '../support/good-bodies.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { readTranscript } from '../support/scripted-agent.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';
import { type Answer, ask, askPatiently, asProgram, GUEST_UID } from './call.ts';

/** Small enough to be filled in a moment. */
export const QUEUE_ROWS = 30;
export const DESCRIPTORS = 256;
/** Longer than this is not prompt on any machine. */
const PROMPTLY_MS = 20_000;
/** A full queue of prompts is typed within this time on any machine. */
const AT_REST_MS = 300_000;

/**
 * The target: a fleet server on PostgreSQL and an agent in tmux with its gateway and mailbox, each its own process, in their own
 * home; two orgs, and tokens of every kind.
 */
export class Stage {
  readonly world = new TestWorld();
  readonly faults = path.join(this.world.directory, 'faults');
  agent!: WorldAgent;
  sql!: Sql;
  fleetPort = 0;
  to!: Named;
  readonly tokens: Record<string, string> = {};
  #postgres!: TestPostgres;
  #server!: ChildProcess;
  #owners = 0;

  async open(): Promise<this> {
    this.#postgres = await startPostgres();
    const url = await this.#postgres.createDatabase();
    this.fleetPort = await this.#startServer(url);
    this.sql = await openPostgres({ url });
    const tokenFile = path.join(this.world.directory, 'launch-token');
    const home = await ensureOrg(this.sql, 'default');
    const user = await createToken(this.sql, { kind: 'user', orgId: home.id, subject: 'ana' });
    fs.writeFileSync(tokenFile, user.token, { mode: 0o600 });
    fs.writeFileSync(this.faults, '');
    fs.writeFileSync(`${this.faults}.hits`, '');
    this.world.fleet = { url: `http://127.0.0.1:${this.fleetPort}`, tokenFile };
    this.world.faultsFile = this.faults;
    this.world.gatewayDescriptors = DESCRIPTORS;
    this.world.gatewayGuests = [GUEST_UID];
    this.world.gatewayEnv = {
      ROUSE_MAX_QUEUE_ROWS: String(QUEUE_ROWS),
      ROUSE_MAX_LIVE_REMINDERS: String(QUEUE_ROWS),
    };
    this.world.workdir = path.join(this.world.directory, 'project');
    fs.mkdirSync(this.world.workdir);
    this.agent = await this.world.agent('ana', ['--turn', '20ms']);
    await this.#settle(home.id);
    await this.atRest();
    return this;
  }

  get gatewayPort(): number {
    return Number(new URL(this.agent.base).port);
  }

  get ports(): { gateway: number; fleet: number } {
    return { gateway: this.gatewayPort, fleet: this.fleetPort };
  }

  /** Where Rouse keeps its files. */
  get directories(): string[] {
    const { settings, env } = this.world.context;
    const server = path.join(env['ROUSE_HOME']!, 'server');
    return [settings.runtimeDir, settings.registryDir, settings.mailboxDir, server];
  }

  async #startServer(databaseUrl: string): Promise<number> {
    const { settings, env } = this.world.context;
    const words = [path.resolve(import.meta.dirname, '../../dist/rouse.cjs'), '--print-json'];
    words.push('server', 'start', '--port', '0', '--database-url', databaseUrl);
    words.push('--allow-users', String(GUEST_UID));
    this.#server = spawn(process.execPath, words, {
      env: {
        ...env,
        HOUMAO_GLOBAL_RUNTIME_DIR: settings.runtimeDir,
        HOUMAO_GLOBAL_MAILBOX_DIR: settings.mailboxDir,
        HOUMAO_GLOBAL_REGISTRY_DIR: settings.registryDir,
        ROUSE_TMUX_SOCKET: settings.tmuxSocket,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(this.#server.stdout!, 'data')) as [Buffer];
    return Number(new URL(JSON.parse(String(line)).url as string).port);
  }

  /** Creates orgs, callers and everything that could be stolen. */
  async #settle(home: string): Promise<void> {
    const { sql, tokens } = this;
    const away = (await ensureOrg(sql, 'elsewhere')).id;
    const member = (orgId: string, agentId: string) =>
      registerWorkspace(sql, { orgId, agentId, name: agentId, sessionId: 's' });
    const person = (kind: 'user' | 'admin', orgId: string | null, subject: string, grants: Grant[] = []) =>
      createToken(sql, { kind, orgId, subject, grants } as Parameters<typeof createToken>[1]);
    const [bea, cyd] = [await member(home, 'bea'), await member(home, 'cyd')];
    const revoked = await person('admin', null, 'gone');
    // The first mail call of the org creates the mailbox, so make it before the attack.
    for (const orgId of [home, away]) await operatorMailbox(sql, orgId);
    await sql.query('UPDATE tokens SET revoked_at = now() WHERE id = $1', [revoked.view.id]);
    Object.assign(tokens, {
      bad: `rouse_${'x'.repeat(43)}`,
      revoked: revoked.token,
      agent: bea.token,
      'other agent': cyd.token,
      user: (await person('user', home, 'ben')).token,
      admin: (await person('admin', home, 'lead')).token,
      'grant: launch': (await person('user', home, 'lia', ['launch'])).token,
      'grant: shutdown': (await person('user', home, 'sam', ['shutdown'])).token,
      "grant: another org's launch": (await person('user', away, 'ext', ['launch'])).token,
      "other org's agent": (await member(away, this.agent.facts.agentId)).token,
      "other org's user": (await person('user', away, 'eve')).token,
      "other org's admin": (await person('admin', away, 'mal')).token,
      'server admin': (await person('admin', null, 'chief')).token,
    });
    const sent = { orgId: home, workspaceId: bea.workspaceId, callerUser: 'ben', priority: 50, body: {} };
    const { mail } = await this.#mail();
    this.to = {
      agent: 'ana',
      address: mail.address,
      message: mail.ref,
      workspace: bea.workspaceId,
      queued: (await enqueue(sql, sent)).id,
      token: (await person('user', home, 'spare')).view.id,
      request: await this.#request(cyd.token, bea.workspaceId),
      directory: this.world.directory,
    };
  }

  async #mail(): Promise<{ mail: { address: string; ref: string } }> {
    const asOwner = { port: this.gatewayPort, headers: { 'x-rouse': '1' } };
    const status = await ask({ ...asOwner, method: 'GET', path: '/v1/mail/status' });
    const body = { subject: 'hello', body_content: 'a secret of the owner' };
    const posted = await ask(
      asProgram({ port: this.gatewayPort, method: 'POST', path: '/v1/mail/post', body }),
    );
    const ref = (JSON.parse(posted.text) as { message: { message_ref: string } }).message.message_ref;
    return { mail: { address: (JSON.parse(status.text) as { address: string }).address, ref } };
  }

  async #request(token: string, recipient_id: string): Promise<string> {
    const body = { kind: 'task', recipient_type: 'agent', recipient_id, title: 'please' };
    const asked = await ask(
      asProgram({ port: this.fleetPort, method: 'POST', path: '/requests', body }, token),
    );
    return (JSON.parse(asked.text) as { request_id: string }).request_id;
  }

  /** Checks that the owner is served normally; returns what is wrong otherwise. */
  async ownersTrouble(): Promise<string[]> {
    const prompt = `owner ${++this.#owners}`;
    const begun = performance.now();
    const trouble: string[] = [];
    const asked = await this.#asOwner(this.gatewayPort, 'POST', '/v1/requests', {
      kind: 'submit_prompt',
      payload: { prompt },
    });
    if (asked.status !== 200) trouble.push(`the owner's prompt: ${asked.status} ${asked.text}`);
    for (const [port, at] of [
      [this.gatewayPort, '/v1/status'],
      [this.gatewayPort, '/health'],
      [this.fleetPort, '/houmao/agents'],
      [this.fleetPort, '/ready'],
    ] as const) {
      const { status, text } = await this.#asOwner(port, 'GET', at);
      if (status !== 200) trouble.push(`the owner's ${at}: ${status} ${text}`);
    }
    if (performance.now() - begun > PROMPTLY_MS) trouble.push('the owner waited');
    if (asked.status === 200 && !(await this.received([prompt], begun)))
      return [...trouble, 'the prompt never arrived'];
    await this.atRest();
    return trouble;
  }

  /** Whether each of these prompts reaches the agent before long, counted from `since`. */
  received(prompts: readonly string[], since = performance.now()): Promise<boolean> {
    return comes(
      () => {
        const received = new Set(this.agent.received());
        return prompts.every((prompt) => received.has(prompt));
      },
      since + 3 * PROMPTLY_MS - performance.now(),
    );
  }

  /**
   * Resolves when both servers have handled everything sent before, the agent's last turn is over in the queue and in the tool's
   * own log, and the fleet has its report. Any later change comes from the attack.
   */
  async atRest(): Promise<void> {
    for (const port of [this.gatewayPort, this.fleetPort]) await this.served(port);
    await vi.waitUntil(() => this.#isIdle(), { timeout: AT_REST_MS });
  }

  async #isIdle(): Promise<boolean> {
    const { requests } = await this.agent.client.call('requests.list', {});
    if (requests.some(({ state }) => state === 'accepted' || state === 'running')) return false;
    if ((await this.agent.client.status()).standing?.state !== 'idle') return false;
    // Any agent of the stage may still report what it did.
    const { rows } = await this.sql.query<{ name: string; standing: string | null }>(
      "SELECT name, standing FROM workspaces WHERE status = 'online'",
    );
    if (!rows.some(({ name, standing }) => name === 'ana' && standing === 'idle')) return false;
    if (rows.some(({ standing }) => standing !== null && standing !== 'idle')) return false;
    return readTranscript(this.agent.transcript).at(-1)?.type === 'ready';
  }

  /** Whether the owner is admitted again before long: closed connections linger for a moment. */
  async served(port: number): Promise<boolean> {
    return comes(async () => (await this.#asOwner(port, 'GET', '/openapi.json')).status === 200, PROMPTLY_MS);
  }

  #asOwner(port: number, method: string, at: string, body?: unknown): Promise<Answer> {
    return askPatiently(asProgram({ port, method, path: at, body }));
  }

  get isWhole(): boolean {
    return this.#server.exitCode === null && this.#server.signalCode === null && isAlive(this.agent.pid);
  }

  async close(): Promise<void> {
    fs.writeFileSync(this.faults, '');
    await this.world.close().catch(() => {});
    await this.sql?.close();
    if (this.#server?.exitCode === null) {
      this.#server.kill('SIGTERM');
      await once(this.#server, 'exit');
    }
    await this.#postgres?.stop();
  }
}

/** Whether a condition becomes true within this time. */
function comes(isSo: () => boolean | Promise<boolean>, timeout: number): Promise<boolean> {
  return vi.waitUntil(isSo, { timeout }).catch(() => false);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
