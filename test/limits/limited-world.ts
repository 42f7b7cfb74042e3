import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as path from 'node:path';
import { newUuid } from '../../src/base/index.ts';
import { FleetClient, readTokenFile } from '../../src/client/index.ts';
import { openEmbedded } from '../../src/db/index.ts';
import { LIMITS, type LimitName } from '../../src/domain/index.ts';
import { serverFiles } from '../../src/fleet/index.ts';
import { TEMPLATES } from '../support/fleet.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';

const BIN = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');

/** Low enough to be reached quickly, high enough for everything else in the tests. */
export const LOW: Readonly<Record<LimitName, number>> = {
  addressLength: 30,
  nameLength: 7,
  recipients: 3,
  attachments: 2,
  attachmentBytes: 3000,
  localAttachmentBytes: 4000,
  bodyBytes: 20_000,
  typedBytes: 10_000,
  keysLength: 50,
  remindersPerBody: 4,
  liveReminders: 5,
  queueRows: 6,
  queueBytes: 9000,
  automaticReplies: 5,
  followersPerOrg: 2,
  followers: 3,
  agentsPerOrg: 6,
  tokensPerOrg: 3,
  connections: 24,
  // Four times this many at once: more than the other cases send on a fast machine.
  requestsPerSecond: 40,
  badTokens: 8,
};

const VARIABLES = Object.fromEntries(
  Object.entries(LOW).map(([name, value]) => [LIMITS[name as LimitName].variable, String(value)]),
);

export interface Answer {
  /** HTTP status, JSON-RPC code or exit code. */
  status: number;
  text: string;
}

/** A fleet server, a gateway and commands, each a process with low limits in its environment. */
export class LimitedWorld {
  readonly #world = new TestWorld();
  #server: ChildProcess | undefined;
  agent!: WorldAgent;
  fleetUrl = '';
  token = '';

  async open(): Promise<void> {
    const { database } = serverFiles(this.#world.home);
    await (await openEmbedded({ directory: database, templateDirectory: TEMPLATES })).close();
    this.#server = spawn(process.execPath, [BIN, 'server', 'start', '--port', '0', '--print-json'], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(this.#server.stdout!, 'data')) as [Buffer];
    const { url, admin_token_file } = JSON.parse(String(line)) as Record<string, string>;
    this.fleetUrl = url!;
    this.token = readTokenFile(admin_token_file!);
    this.#world.gatewayEnv = VARIABLES;
    this.agent = await this.#world.agent('ana');
  }

  get #env(): NodeJS.ProcessEnv {
    const { env, settings } = this.#world.context;
    const own = { HOUMAO_GLOBAL_MAILBOX_DIR: settings.mailboxDir, ROUSE_FLEET_URL: '', DATABASE_URL: '' };
    return { ...env, ...VARIABLES, ...own };
  }

  get fleet(): FleetClient {
    return new FleetClient({ url: this.fleetUrl, token: this.token });
  }

  /** To the gateway. */
  post = (at: string, body: unknown): Promise<Answer> => this.#ask(`${this.agent.base}${at}`, body, {});

  /** To the fleet server, as its administrator or with another token; with null, without a token. */
  ask(at: string, body?: unknown, token: string | null = this.token): Promise<Answer> {
    return this.#ask(
      `${this.fleetUrl}${at}`,
      body,
      token === null ? {} : { authorization: `Bearer ${token}` },
    );
  }

  async #ask(url: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
    const response = await fetch(url, {
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  rouse(...words: string[]): Promise<Answer> {
    return new Promise((resolve) => {
      execFile(process.execPath, [BIN, ...words], { env: this.#env }, (error, out, err) =>
        resolve({ status: typeof error?.code === 'number' ? error.code : 0, text: `${out}${err}` }),
      );
    });
  }

  /** Everything that the requests of this file could have changed. */
  async state(): Promise<unknown> {
    const { client } = this.agent;
    const { requests } = await client.call('requests.list', {});
    const { reminders } = await client.call('reminders.list', {});
    const sent = await client.call('mail.list', { body: { box: 'sent' } });
    const { agents } = await this.fleet.call('registry.agents.list', {});
    return {
      requests: requests.map(({ request_id }) => request_id),
      reminders: reminders.map(({ reminder_id }) => reminder_id),
      sent: sent.messages.length,
      agents: agents.map(({ agent_id }) => agent_id),
    };
  }

  /** The agent works on a prompt until the end, so everything later stays queued. */
  async occupy(): Promise<void> {
    await this.agent.client.call('control.prompt', { body: { prompt: '[[hang]]' } });
  }

  /** Another program's agent, as the fleet server knows it. */
  async register(agent_id: string, org: string): Promise<string> {
    await this.fleet.call('admin.orgs.create', { body: { name: org } });
    const body = { agent_id, name: agent_id, session_id: 's', org };
    return (await this.fleet.call('registry.register', { body })).workspace_id;
  }

  /** Sends a message and follows its task: `held` when the first event has arrived and the next is awaited. */
  async follow(workspace: string): Promise<Answer & { held: boolean; end: () => void }> {
    const over = new AbortController();
    const message = { messageId: newUuid(), role: 'ROLE_USER', parts: [{ text: 'hello' }] };
    const response = await fetch(`${this.fleetUrl}/a2a/${workspace}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'a2a-version': '1.0',
        authorization: `Bearer ${this.token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message } }),
      signal: over.signal,
    });
    const { value } = await response.body!.getReader().read();
    const text = new TextDecoder().decode(value);
    return { status: response.status, text, held: !text.includes('"error"'), end: () => over.abort() };
  }

  async close(): Promise<void> {
    await this.#world.close();
    if (this.#server?.exitCode !== null || this.#server.signalCode !== null) return;
    this.#server.kill('SIGTERM');
    await once(this.#server, 'exit');
  }
}
