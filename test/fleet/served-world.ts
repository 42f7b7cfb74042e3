import * as fs from 'node:fs';
import * as path from 'node:path';
import { createLog, systemClock } from '../../src/base/index.ts';
import { type RunningServer, type ServerConfig, startServer } from '../../src/fleet/index.ts';
import { NUDGE_DEFAULTS } from '../../src/fleet/nudge/index.ts';
import { writeHandover } from '../../src/session/fleet-actions.ts';
import { FLEET_ROUTES, fleetOpenApiDocument } from '../../src/wire/index.ts';
import { type OpenApi, problemOf, routeOf, undocumentedIn } from '../support/answers.ts';
import { TEMPLATES } from '../support/fleet.ts';
import { type ControlClient, promptsOf } from '../support/scripted-agent.ts';
import { TestWorld } from '../support/test-world.ts';

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape; each test says what it expects
export type Json = Record<string, any>;

export interface Answer {
  status: number;
  body: Json;
  headers: Headers;
}

const document = fleetOpenApiDocument() as unknown as OpenApi;

/** A response of the server itself must match its row; a forwarded one may come from a stand-in. */
function checkOwn(method: string, target: string, { status, body, headers }: Answer, text: string): void {
  const route = routeOf(FLEET_ROUTES, method, target);
  const type = headers.get('content-type') ?? undefined;
  const missing = undocumentedIn(document, FLEET_ROUTES, { method, target }, { status, type });
  if (missing) throw new Error(missing);
  if (status >= 400 || !route || 'carries' in route) return;
  const problem = problemOf(
    FLEET_ROUTES,
    { method, target },
    { status, body: route.contentType ? text : body },
  );
  if (problem) throw new Error(`${method} ${target}: ${problem}: ${text.slice(0, 500)}`);
}

/** A home with agents, a tmux server of its own, and a real fleet server that manages them. */
export class ServedWorld extends TestWorld {
  server!: RunningServer;
  /** What the server logged. */
  readonly log: string[] = [];
  /** Agents whose gateways respond as a test scripts them. */
  readonly standIns = new Set<string>();

  /** With `calm`, nothing is late, missed or nudged. */
  async open({
    calm = false,
    ...options
  }: Partial<Omit<ServerConfig, 'log' | 'agents'>> & { calm?: boolean } = {}): Promise<this> {
    this.server = await startServer({
      host: '127.0.0.1',
      port: 0,
      ...(calm && {
        livenessSeconds: 1e6,
        leaseSeconds: 1e6,
        nudge: { ...NUDGE_DEFAULTS, disabled: true },
      }),
      databaseUrl: undefined,
      databaseDirectory: path.join(this.directory, 'database'),
      templateDirectory: TEMPLATES,
      clock: systemClock,
      ...options,
      log: createLog({ clock: systemClock, write: (line) => this.log.push(line) }),
      agents: { settings: this.context.settings, env: { ...this.env, DATABASE_URL: 'postgres://secret' } },
    });
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  /** Stops the server and starts another on the same port and files. */
  async restart(): Promise<void> {
    const { port } = this.server;
    await this.server.stop();
    await this.open({ port });
  }

  async ask(
    method: string,
    rest: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(`${this.url}/houmao${rest}`, {
      method,
      headers: {
        'x-rouse': '1',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    let parsed: Json;
    try {
      parsed = JSON.parse(text) as Json;
    } catch {
      parsed = { text };
    }
    const answer = { status: response.status, body: parsed, headers: response.headers };
    if (!this.standIns.has(rest.split('/')[2] ?? '')) checkOwn(method, `/houmao${rest}`, answer, text);
    return answer;
  }

  /** The same call, which must succeed. */
  async get(method: string, rest: string, body?: unknown): Promise<Json> {
    const answer = await this.ask(method, rest, body);
    if (answer.status !== 200)
      throw new Error(`${method} ${rest}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Has the server launch the scripted agent. */
  launchServed(name: string, more: Record<string, unknown> = {}): Promise<Json> {
    return this.get('POST', '/launches', this.launchBody(name, more));
  }

  launchHeadless(name: string, more: Record<string, unknown> = {}): Promise<Json> {
    return this.get('POST', '/agents/headless/launches', this.launchBody(name, more));
  }

  launchBody(name: string, more: Record<string, unknown> = {}): Json {
    const environment_file = writeHandover(this.context.settings.runtimeDir, { env: this.env });
    const tool = { tool: 'scripted', agent_name: name, working_directory: this.workdir, mailbox: false };
    return { ...tool, environment_file, ...more };
  }

  /** Steers a scripted agent in its terminal. */
  async control(sessionRoot: string): Promise<ControlClient> {
    const manifest = JSON.parse(fs.readFileSync(path.join(sessionRoot, 'manifest.json'), 'utf8')) as Json;
    return this.steer(manifest['launch_plan'].metadata.rouse.control_path as string);
  }

  received(sessionRoot: string): string[] {
    return promptsOf(sessionRoot);
  }

  async shut(): Promise<string[]> {
    await this.server.stop();
    return this.close();
  }
}
