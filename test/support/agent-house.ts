import { execFileSync } from 'node:child_process';
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
import { ControlClient, readTranscript } from './scripted-agent.ts';

export interface HousedAgent {
  name: string;
  pid: number;
  /** Its directory in the session root. */
  root: string;
  client: GatewayClient;
  /** Address of its gateway. */
  base: string;
  transcript: string;
  /** Steers the scripted agent: dialogs, busy turns, crashes. */
  control: ControlClient;
  facts: ManifestFacts;
  /** The prompts it really received, in order. */
  received(): string[];
}

/** Scripted agents with gateways in a place of their own, for tests and benchmarks. */
export class AgentHouse {
  readonly directory: string;
  /** Where agents work; default: the directory itself, which holds Rouse's own files, too. */
  workdir: string;
  /** Set before a launch: how its gateway runs. */
  mode: ExecutionMode = GATEWAY_MODE;
  /** Set before a launch: the fleet server its agents register with. */
  fleet: SessionContext['settings']['fleet'];
  /** Set before a launch: where its agents have their mailboxes. */
  mailbox: LaunchOptions['mailbox'];
  /** Set before a launch: the instant at which its gateway is killed. */
  gatewayCrashAt: string | undefined;
  /** Set before a launch: the file that says by how many milliseconds the wall clock of its gateway is set. */
  clockShiftFile: string | undefined;
  /** Set before a launch: the file that says which writes of its gateway fail (faults.mjs). */
  faultsFile: string | undefined;
  /** Set before a launch: more variables of its gateway, such as its limits. */
  gatewayEnv: Readonly<Record<string, string>> = {};
  /** Set before a launch: how many descriptors its gateway may have. */
  gatewayDescriptors: number | undefined;
  /** Set before a launch: accounts that may connect to its gateway. */
  gatewayGuests: readonly number[] | undefined;
  /** Set before a launch: the socket of the tmux server it is launched in. */
  tmuxSocket: string;
  #tmuxSockets = new Set<string>();
  #launched: ManifestFacts[] = [];
  #controls: ControlClient[] = [];

  /** In a directory that is made for it; default: a temporary one. */
  constructor(directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-house-'))) {
    fs.mkdirSync(directory, { recursive: true });
    this.directory = directory;
    this.workdir = directory;
    this.tmuxSocket = path.join(directory, 'tmux.sock');
  }

  get context(): SessionContext {
    const at = (name: string): string => path.join(this.directory, name);
    const env = Object.fromEntries(
      // Certificates nobody here needs would be read at every start of a node process, which takes longer than the rest.
      Object.entries(process.env).filter(([name]) => !/^(TMUX|HOUMAO_|NODE_EXTRA_CA_CERTS$)/.test(name)),
    );
    return {
      settings: {
        runtimeDir: at('run'),
        mailboxDir: at('mail'),
        registryDir: at('registry'),
        tmuxSocket: this.tmuxSocket,
        fleet: this.fleet,
      },
      env: {
        ...env,
        ROUSE_HOME: this.directory,
        HOME: this.directory,
        // A host has the environment of each gateway from whoever attaches it.
        ...(this.mode === 'hosted' && this.gatewayEnv),
        // One that is to die stays dead until somebody attaches it.
        ...(this.gatewayCrashAt && { ROUSE_GATEWAY_RESTARTS: '0' }),
      },
      clock: systemClock,
      ...(this.#isTold && { gatewayProgram: this.#gatewayProgram() }),
    };
  }

  get #isTold(): boolean {
    const { gatewayCrashAt, clockShiftFile, faultsFile, gatewayEnv } = this;
    return Boolean(gatewayCrashAt || clockShiftFile || faultsFile || Object.keys(gatewayEnv).length > 0);
  }

  /** The gateway's program of this build, told what is done to it. */
  #gatewayProgram(): string[] {
    const program = path.resolve(import.meta.dirname, '../../dist/gateway.js');
    const told = {
      ROUSE_CRASH_AT: this.gatewayCrashAt,
      ROUSE_CLOCK_SHIFT_FILE: this.clockShiftFile,
      FAULTS_FILE: this.faultsFile,
      ...this.gatewayEnv,
    };
    const set = Object.entries(told).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
    const preload = this.faultsFile ? ['--import', path.join(import.meta.dirname, 'faults.mjs')] : [];
    const few = this.gatewayDescriptors ? ['prlimit', `--nofile=${this.gatewayDescriptors}`] : [];
    return ['env', ...set, ...few, process.execPath, ...preload, program];
  }

  async launchMany(count: number, args: string[] = []): Promise<HousedAgent[]> {
    const gateways: HousedAgent[] = [];
    for (let i = 0; i < count; i++) gateways.push(await this.launch(`agent-${i + 1}`, args));
    return gateways;
  }

  async launch(name: string, args: string[] = []): Promise<HousedAgent> {
    const socket = path.join(this.directory, `${name}.sock`);
    const report = await launch(this.context, {
      tool: 'scripted',
      agentName: name,
      cwd: this.workdir,
      headless: false,
      // Of our own choice: the path of a Unix socket may not be long.
      args: ['--control', socket, ...args],
      autoAttach: { mode: this.mode, allowUsers: this.gatewayGuests },
      mailbox: this.mailbox,
    });
    if (report.attachError) throw report.attachError;
    if (report.fleetError) throw report.fleetError;
    this.#launched.push(report.facts);
    this.#tmuxSockets.add(this.tmuxSocket);
    const root = sessionPaths(report.facts.root).gateway;
    const transcript = path.join(report.facts.root, 'transcript.jsonl');
    const control = await ControlClient.connect(socket);
    this.#controls.push(control);
    return {
      name,
      root,
      pid: Number(fs.readFileSync(path.join(root, 'run', 'gateway.pid'), 'utf8')),
      base: `http://127.0.0.1:${report.attached!.status.gateway_port}`,
      client: new GatewayClient({ host: '127.0.0.1', port: report.attached!.status.gateway_port! }),
      transcript,
      control,
      facts: report.facts,
      received: () => promptsIn(transcript),
    };
  }

  /** One whose prompts are processes of their own. */
  async launchHeadless(
    name: string,
    args: string[] = [],
  ): Promise<Pick<HousedAgent, 'client' | 'received' | 'facts'>> {
    const { facts, attached, attachError } = await launch(this.context, {
      tool: 'scripted',
      agentName: name,
      cwd: this.workdir,
      headless: true,
      args,
      autoAttach: { mode: this.mode },
    });
    if (attachError) throw attachError;
    this.#launched.push(facts);
    this.#tmuxSockets.add(this.tmuxSocket);
    return {
      facts,
      client: new GatewayClient({ host: '127.0.0.1', port: attached!.status.gateway_port! }),
      received: () => promptsIn(path.join(facts.root, 'transcript.jsonl')),
    };
  }

  async close(): Promise<void> {
    for (const control of this.#controls) control.close();
    for (const facts of this.#launched) await stop(this.context, facts);
    for (const socket of [...this.#tmuxSockets, this.tmuxSocket])
      try {
        execFileSync('tmux', ['-S', socket, 'kill-server'], { stdio: 'ignore' });
      } catch {
        // The server ends with its last session.
      }
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}

function promptsIn(transcript: string): string[] {
  return readTranscript(transcript)
    .filter((record) => record.type === 'submitted')
    .map((record) => String(record['text']));
}
