import { randomUUID } from 'node:crypto';
import * as path from 'node:path';
import { GatewayClient } from '../../../src/client/index.ts';
import type { RequestView, TuiState } from '../../../src/wire/index.ts';
import { type Ran, TestWorld } from '../../support/test-world.ts';
import { MockModel } from '../model/mock-model.ts';
import { findSecret } from './find-secret.ts';
import type { InstalledTool } from './installed-tool.ts';
import type { RealTool } from './real-tools.ts';

export const AGENT = 'ana';
// Of this run alone: the arguments of every process are searched for it.
const SECRET = `credential-of-this-test-${randomUUID()}`;

export interface Entry {
  stage: string;
  source: string;
  facts: Record<string, unknown>;
}

/** A real command line, launched as an agent by the built program, with a mock model. */
export class AgentUnderTest {
  readonly world: TestWorld;
  readonly model: MockModel;
  readonly tool: RealTool;
  readonly name: string;
  readonly #installed: InstalledTool;
  #gateway: GatewayClient | undefined;
  /** The address of its gateway. */
  baseUrl = '';
  #session = '';

  /** A second one shares the world and the model of the first. */
  constructor(tool: RealTool, installed: InstalledTool, name = AGENT, beside?: AgentUnderTest) {
    this.tool = tool;
    this.name = name;
    this.world = beside?.world ?? new TestWorld();
    this.model = beside?.model ?? new MockModel();
    this.#installed = installed;
  }

  async open({ trusted = true, stock = false } = {}): Promise<this> {
    await this.model.open();
    const { directory: home, workdir, env } = this.world;
    Object.assign(env, {
      PATH: [...this.#installed.directories, process.env['PATH']].join(path.delimiter),
      ...this.tool.setUp({ home, workdir, modelUrl: this.model.url, secret: SECRET, trusted, stock }),
    });
    return this;
  }

  async launch(toolArgs: string[], ...flags: string[]): Promise<Record<string, unknown>> {
    const { json, code, stderr } = await this.world.rouse([
      ...['agents', 'launch', '--print-json', '--tool', this.tool.tool, '--agent-name', this.name, ...flags],
      ...(flags.includes('--wake') ? [] : ['--gateway-auto-attach', '--gateway-background']),
      ...['--', ...toolArgs],
    ]);
    if (code !== 0) throw new Error(`launch ended with ${code}: ${stderr}`);
    this.#session = json['tmux_session_name'];
    this.#reach(json['gateway']);
    return json;
  }

  /** The messages of its address. */
  domain = 'houmao.localhost';

  get address(): string {
    return `${this.name}@${this.domain}`;
  }

  /** Runs a command about this agent; returns its output as JSON. */
  command(...words: string[]): Promise<Ran> {
    return this.world.rouse(['agents', ...words, '--agent-name', this.name, '--print-json']);
  }

  async attach(): Promise<void> {
    this.#reach(await this.#said('gateway', 'attach', '--background'));
  }

  async restartGateway(): Promise<void> {
    await this.#said('gateway', 'detach');
    this.#reach(await this.#said('gateway', 'attach'));
  }

  async relaunch(): Promise<void> {
    await this.#said('relaunch');
  }

  async #said(...words: string[]): Promise<Ran['json']> {
    const { json, code, stderr } = await this.command(...words);
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
    return json;
  }

  #reach(status: Record<string, unknown>): void {
    const { gateway_host: host, gateway_port: port } = status as {
      gateway_host: string;
      gateway_port: number;
    };
    this.baseUrl = `http://${host}:${port}`;
    this.#gateway = new GatewayClient({ host, port, timeoutMs: 20_000 });
  }

  get gateway(): GatewayClient {
    return this.#gateway!;
  }

  /** A prompt that is not queued; repeated as long as the screen moves under it. */
  async promptNow(body: Parameters<GatewayClient['prompt']>[0]): Promise<void> {
    await this.world.until(async () => {
      await this.ready();
      return this.gateway.prompt(body, { timeoutMs: 60_000 }).then(
        () => true,
        (error: Error) => {
          // The screen changed since; a refused prompt changes nothing.
          if (!/^not ready: .*\bstable='false'$/.test(error.message)) throw error;
          return false;
        },
      );
    });
  }

  /** Queues a prompt; returns its id. */
  async submit(prompt: string): Promise<string> {
    return (await this.gateway.submitPrompt({ prompt })).request_id;
  }

  ended(id: string): Promise<RequestView> {
    return this.gateway.getRequest(id, true, { timeoutMs: 110_000 });
  }

  /** Waits until the ledger of a request has this stage. */
  async stage(id: string, stage: string): Promise<Entry> {
    const over = new AbortController();
    try {
      for await (const { data } of this.gateway.events({ request_id: id }, over.signal)) {
        if ((data as Entry).stage === stage) return data as Entry;
      }
      throw new Error(`the ledger of ${id} ended without ${stage}`);
    } finally {
      over.abort();
    }
  }

  /** Submits a prompt and waits until the tool has taken it. */
  async begin(prompt: string): Promise<string> {
    const id = await this.submit(prompt);
    const { outcome, error_detail } = await this.ended(id);
    if (outcome !== 'submitted') throw new Error(`${outcome}: ${error_detail}`);
    return id;
  }

  /** Submits a prompt and waits for the end of its turn. */
  async turn(prompt: string): Promise<RequestView> {
    const id = await this.begin(prompt);
    await this.finished(id);
    return this.gateway.getRequest(id);
  }

  /** Waits until the end of a request's turn was seen. */
  async finished(id: string): Promise<void> {
    if (!this.tool.silentEnd) return void (await this.stage(id, 'turn_finished'));
    await this.stage(id, 'turn_seen');
    await this.ready();
  }

  /** Waits until the request waits for a reason that matches. */
  async waitsFor(id: string, reason: RegExp): Promise<void> {
    await this.world.until(async () => {
      const { waiting_reason, state } = await this.gateway.getRequest(id);
      if (state !== 'accepted') throw new Error(`${id} does not wait: it is ${state}`);
      return reason.test(waiting_reason ?? '');
    });
  }

  async state(until: (state: TuiState) => boolean): Promise<TuiState> {
    return this.world.until(async () => {
      const state = await this.gateway.tuiState();
      return until(state) ? state : undefined;
    });
  }

  async ready(): Promise<TuiState> {
    return this.state(({ submit_ready }) => submit_ready === true);
  }

  /** Its pane, as tmux names it. */
  get pane(): string {
    return `=${this.#session}:0`;
  }

  /** What a person at the keyboard does. */
  keys(...keys: string[]): void {
    this.world.tmux('send-keys', '-t', this.pane, ...keys);
  }

  /** Waits until it takes prompts; answers, for good, the questions of a first start that cannot be avoided. */
  async started(): Promise<void> {
    if (this.tool.asksAtStart) {
      const state = await this.state((seen) => seen.submit_ready === true || asksTrust(seen));
      if (asksTrust(state)) await this.trusts();
    }
    await this.ready();
  }

  /** Allows it to work here: moves to that answer, checks that it is marked, confirms. */
  async trusts(): Promise<void> {
    const soon = async (): Promise<boolean> => !isAsking(await this.gateway.tuiState());
    while (!(await soon())) {
      this.keys(this.tool.trustRow!.test(this.screen()) ? 'Enter' : 'Down');
      const pressed = Date.now();
      await this.world.until(async () => (await soon()) || Date.now() - pressed > 1_000);
    }
  }

  /** Answers a dialog as a person does: a tool may ignore keys pressed while it opens. */
  async answers(keys: string[]): Promise<void> {
    for (let asks = true; asks; ) {
      this.keys(...keys);
      const pressed = Date.now();
      await this.world.until(async () => {
        asks = isAsking(await this.gateway.tuiState());
        return !asks || Date.now() - pressed > 2_000;
      });
    }
  }

  types(text: string): void {
    this.keys('-l', '--', text);
  }

  screen(): string {
    return this.world.tmux('capture-pane', '-p', '-t', this.pane);
  }

  /** Waits until the model has received a prompt that matches. */
  received(prompt: RegExp): Promise<unknown> {
    return this.world.until(() => this.model.prompts().find((each) => prompt.test(each.prompt)));
  }

  /** Where others could see the credential: arguments, tmux, files of Rouse. */
  leaks(): string[] {
    return findSecret(SECRET, this.world);
  }

  /** Ends everything; returns what should have ended before. */
  close(): Promise<string[]> {
    this.model.close();
    return this.world.close();
  }
}

function asksTrust(state: TuiState): boolean {
  return dialogOf(state)?.kind === 'trust';
}

export function isAsking(state: TuiState): boolean {
  return dialogOf(state) !== undefined;
}

/** What it asks, or what its screen seems to ask. */
export function dialogOf({ facts }: TuiState): { kind: string } | undefined {
  const dialog = facts?.find(({ name }) => name === 'dialog')?.value;
  return (dialog as { kind: string } | null | undefined) ?? undefined;
}
