import { execFile, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { systemClock } from '../../src/base/index.ts';
import { GatewayClient } from '../../src/client/index.ts';
import type { ExecutionMode } from '../../src/domain/index.ts';
import {
  type LaunchOptions,
  launch,
  type ManifestFacts,
  type SessionContext,
  sessionPaths,
  stop,
} from '../../src/session/index.ts';
import { GATEWAY_MODE } from './gateway-mode.ts';
import { processesNaming } from './processes-naming.ts';
import { ControlClient, promptsOf } from './scripted-agent.ts';

/** The tested installation. ROUSE_TEST_ROOT names a copy, for long runs while someone builds. */
export const ROOT = process.env['ROUSE_TEST_ROOT'] ?? path.resolve(import.meta.dirname, '../..');

/** The command line of that installation. */
export const ROUSE = path.join(ROOT, 'dist/rouse.cjs');

// biome-ignore lint/suspicious/noExplicitAny: output of every shape; each test checks its own
export type Printed = Record<string, any>;

export interface Ran {
  /** -1 if a signal ended it. */
  code: number;
  signal: NodeJS.Signals | undefined;
  stdout: string;
  stderr: string;
  /** Standard output as JSON, for commands run with --print-json. */
  json: Printed;
}

/** A scripted agent with its gateway. */
export interface WorldAgent {
  name: string;
  pid: number;
  /** Its directory in the session root. */
  root: string;
  client: GatewayClient;
  /** Address of its gateway. */
  base: string;
  transcript: string;
  /** Controls the scripted agent: dialogs, busy turns, crashes. */
  control: ControlClient;
  facts: ManifestFacts;
  /** The prompts it really received, in order. */
  received(): string[];
}

/**
 * Everything that belongs to one test: a home, a tmux server, a registry, agents and their gateways, and the
 * command line among them. Other things that a test needs, such as a fleet server or a browser, are parts built on it.
 */
export class TestWorld {
  readonly directory: string;
  /** `ROUSE_HOME`. */
  readonly home: string;
  /** The agents' working directory. */
  workdir: string;
  /** The variables of commands, agents and gateways. */
  readonly env: NodeJS.ProcessEnv;
  /** Set before a launch: how its gateway runs. */
  mode: ExecutionMode = GATEWAY_MODE;
  /** Set before a launch: the fleet server its agents register with. */
  fleet: SessionContext['settings']['fleet'];
  /** Set before a launch: the store of its agents' mailboxes. */
  mailbox: LaunchOptions['mailbox'];
  /** Set before a launch: the crash point at which its gateway is killed. */
  gatewayCrashAt: string | undefined;
  /** Set before a launch: the file with the offset in milliseconds of its gateway's wall clock. */
  clockShiftFile: string | undefined;
  /** Set before a launch: the file that says which writes of its gateway fail (faults.mjs). */
  faultsFile: string | undefined;
  /** Set before a launch: more variables of its gateway, such as its limits. */
  gatewayEnv: Readonly<Record<string, string>> = {};
  /** Set before a launch: the limit of its gateway's descriptors. */
  gatewayDescriptors: number | undefined;
  /** Set before a launch: accounts that may connect to its gateway. */
  gatewayGuests: readonly number[] | undefined;
  /** Set before a launch: the socket of the tmux server it is launched in. */
  socket: string;
  #sockets = new Set<string>();
  #agents: ManifestFacts[] = [];
  #controls: ControlClient[] = [];

  /** Default directory: a temporary one. */
  constructor({ directory, tmuxConfig = '' }: { directory?: string; tmuxConfig?: string } = {}) {
    // Short, because the path of a Unix socket is limited.
    this.directory = directory ?? fs.mkdtempSync(path.join(os.tmpdir(), 'rs-'));
    this.home = path.join(this.directory, 'home');
    this.workdir = path.join(this.directory, 'work');
    this.socket = path.join(this.directory, 'tmux');
    fs.mkdirSync(this.workdir, { recursive: true });
    fs.writeFileSync(path.join(this.directory, '.tmux.conf'), tmuxConfig);
    this.env = {
      PATH: process.env['PATH'],
      HOME: this.directory,
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      ROUSE_HOME: this.home,
      ROUSE_TMUX_SOCKET: this.socket,
    };
  }

  get context(): SessionContext {
    const at = (name: string): string => path.join(this.home, name);
    const more = {
      // A host takes the environment of each gateway from the command that attaches it.
      ...(this.mode === 'hosted' && this.gatewayEnv),
      // A gateway that is meant to die stays dead until a command attaches it.
      ...(this.gatewayCrashAt && { ROUSE_GATEWAY_RESTARTS: '0' }),
    };
    return {
      settings: {
        runtimeDir: at('runtime'),
        mailboxDir: at('mailbox'),
        registryDir: at('registry'),
        tmuxSocket: this.socket,
        fleet: this.fleet,
      },
      env: Object.keys(more).length > 0 ? { ...this.env, ...more } : this.env,
      clock: systemClock,
      ...(this.#changesGateway && { gatewayProgram: this.#gatewayProgram() }),
    };
  }

  get #changesGateway(): boolean {
    const { gatewayCrashAt, clockShiftFile, faultsFile, gatewayEnv } = this;
    return Boolean(gatewayCrashAt || clockShiftFile || faultsFile || Object.keys(gatewayEnv).length > 0);
  }

  /** The gateway program of this build, with the faults of this world in its environment. */
  #gatewayProgram(): string[] {
    const faults = {
      ROUSE_CRASH_AT: this.gatewayCrashAt,
      ROUSE_CLOCK_SHIFT_FILE: this.clockShiftFile,
      FAULTS_FILE: this.faultsFile,
      ...this.gatewayEnv,
    };
    const set = Object.entries(faults).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
    const preload = this.faultsFile ? ['--import', path.join(import.meta.dirname, 'faults.mjs')] : [];
    const few = this.gatewayDescriptors ? ['prlimit', `--nofile=${this.gatewayDescriptors}`] : [];
    return ['env', ...set, ...few, process.execPath, ...preload, path.join(ROOT, 'dist/gateway.js')];
  }

  /** Launches the scripted agent in this process, by default without gateway and mailbox. */
  async launch(name: string, options: Partial<LaunchOptions> = {}): Promise<ManifestFacts> {
    const report = await launch(this.context, {
      tool: 'scripted',
      agentName: name,
      cwd: this.workdir,
      headless: false,
      args: [],
      mailbox: false,
      ...options,
    });
    if (report.attachError) throw report.attachError;
    if (report.fleetError) throw report.fleetError;
    return report.facts;
  }

  /** Launches one with gateway and mailbox; it is stopped properly when this world closes. */
  async agent(name: string, args: string[] = []): Promise<WorldAgent> {
    const socket = path.join(this.directory, `${name}.sock`);
    // We choose the socket, because its path is limited.
    const { facts, client, port } = await this.#withGateway(name, ['--control', socket, ...args], false);
    const root = sessionPaths(facts.root).gateway;
    const control = await ControlClient.connect(socket);
    this.#controls.push(control);
    return {
      name,
      root,
      pid: Number(fs.readFileSync(path.join(root, 'run', 'gateway.pid'), 'utf8')),
      base: `http://127.0.0.1:${port}`,
      client,
      transcript: path.join(facts.root, 'transcript.jsonl'),
      control,
      facts,
      received: () => promptsOf(facts.root),
    };
  }

  async agents(count: number, args: string[] = []): Promise<WorldAgent[]> {
    const agents: WorldAgent[] = [];
    for (let i = 0; i < count; i++) agents.push(await this.agent(`agent-${i + 1}`, args));
    return agents;
  }

  /** A headless one: each prompt is its own process. */
  async headlessAgent(
    name: string,
    args: string[] = [],
  ): Promise<Pick<WorldAgent, 'client' | 'received' | 'facts'>> {
    const { facts, client } = await this.#withGateway(name, args, true);
    return { facts, client, received: () => promptsOf(facts.root) };
  }

  async #withGateway(agentName: string, args: string[], headless: boolean) {
    const { facts, attached, attachError, fleetError } = await launch(this.context, {
      tool: 'scripted',
      agentName,
      cwd: this.workdir,
      headless,
      args,
      autoAttach: { mode: this.mode, allowUsers: this.gatewayGuests },
      mailbox: this.mailbox,
    });
    if (attachError) throw attachError;
    if (fleetError) throw fleetError;
    this.#agents.push(facts);
    this.#sockets.add(this.socket);
    const port = attached!.status.gateway_port!;
    return { facts, port, client: new GatewayClient({ host: '127.0.0.1', port }) };
  }

  /** Controls an agent that was launched in another way. */
  async steer(socket: string): Promise<ControlClient> {
    const control = await ControlClient.connect(socket);
    this.#controls.push(control);
    return control;
  }

  /** Runs the built command line. */
  rouse(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
    const fleet = this.fleet && {
      ROUSE_FLEET_URL: this.fleet.url,
      ROUSE_FLEET_TOKEN_FILE: this.fleet.tokenFile,
    };
    return new Promise((resolve) => {
      const options = { cwd: this.workdir, env: { ...this.env, ...fleet, ...env }, maxBuffer: 1 << 24 };
      const child = execFile(process.execPath, [ROUSE, ...args], options, (error, stdout, stderr) => {
        const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
        resolve({
          code,
          signal: error?.signal ?? undefined,
          stdout,
          stderr,
          json: parse(code === 0 ? stdout : stdout || stderr),
        });
      });
      child.stdin?.end();
    });
  }

  /** The same, which must succeed, as JSON. No CAO server is asked. */
  // biome-ignore lint/suspicious/noExplicitAny: output of every shape
  async json(...args: string[]): Promise<any> {
    const { code, stdout, stderr, json } = await this.rouse(['--print-json', ...args], { CAO_PORT: '1' });
    if (code !== 0) throw new Error(`rouse ${args.join(' ')}: ${code} ${stderr}${stdout}`);
    return json;
  }

  tmux(...args: string[]): string {
    const done = spawnSync('tmux', ['-S', this.socket, ...args], { encoding: 'utf8', env: this.env });
    return done.status === 0 ? done.stdout.trimEnd() : '';
  }

  windows(session: string): string[] {
    return this.tmux('list-windows', '-t', `=${session}:`, '-F', '#{window_index} #{window_name}')
      .split('\n')
      .filter(Boolean);
  }

  /** Processes of this world: by their arguments, working directory or home. */
  processes(): { pid: number; words: string }[] {
    return processesNaming(this.directory);
  }

  /** Waits until the condition holds; the test's own timeout is the limit. */
  async until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
    for (;;) {
      const seen = await look();
      if (seen) return seen as NonNullable<T>;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Files and directories that other accounts can read or enter. */
  readableByOthers(): string[] {
    if (!fs.existsSync(this.home)) return [];
    return filesBelow(this.home).filter((file) => {
      const stat = fs.lstatSync(file, { throwIfNoEntry: false });
      return stat && !stat.isSymbolicLink() && (stat.mode & 0o077) !== 0;
    });
  }

  /** Ends everything of this world, by its own ids; returns what should have been gone already. */
  async close(): Promise<string[]> {
    for (const control of this.#controls) control.close();
    for (const facts of this.#agents) await stop(this.context, facts);
    for (const socket of new Set([...this.#sockets, this.socket]))
      spawnSync('tmux', ['-S', socket, 'kill-server'], { stdio: 'ignore' });
    const left = this.processes();
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {}
    }
    fs.rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
    return left.map(({ words }) => words);
  }
}

function parse(text: string): Printed {
  try {
    return JSON.parse(text) as Printed;
  } catch {
    return {};
  }
}

/** Leaves out the targets of links, and what a tool itself writes into its session's home. */
function filesBelow(directory: string): string[] {
  return fs.readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(directory, entry.name);
    const below = entry.isDirectory() && !file.endsWith('/launch/home') ? filesBelow(file) : [];
    return [file, ...below];
  });
}
