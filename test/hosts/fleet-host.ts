import { execFile, execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { readTranscript } from '../support/scripted-agent.ts';
import type { HostNetwork } from './host-network.ts';

const PROGRAM = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');
const CLOCK = path.join(import.meta.dirname, 'shifted-clock.cjs');

export interface HostPlace {
  number: number;
  network: HostNetwork;
  /** Its servers, the preferred one first. */
  ports: readonly number[];
  /** The token of the person who launches agents there. */
  token: string;
  clockMs: number;
}

export interface HostAgent {
  name: string;
  host: FleetHost;
  /** The prompts that it received, by its own record. */
  received(): string[];
  gatewayPid(): number;
}

export interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

/** A host of the fleet: own home, own tmux server, own network, own clock. Everything on it is done with the command line. */
export class FleetHost {
  readonly number: number;
  readonly home: string;
  readonly agents: HostAgent[] = [];
  #place: HostPlace;
  #socket: string;
  #env: NodeJS.ProcessEnv = {};

  constructor(place: HostPlace) {
    this.number = place.number;
    this.#place = place;
    this.home = fs.mkdtempSync(path.join(os.tmpdir(), `rh${place.number}-`));
    this.#socket = path.join(this.home, 'tmux.sock');
  }

  async open(): Promise<void> {
    const { network, number, ports, token, clockMs } = this.#place;
    const tokenFile = path.join(this.home, 'token');
    fs.writeFileSync(tokenFile, token, { mode: 0o600 });
    const urls = await Promise.all(ports.map((port) => network.url(number, port)));
    this.#env = {
      ...Object.fromEntries(
        Object.entries(process.env).filter(([name]) => !/^(TMUX|HOUMAO_|ROUSE_)/.test(name)),
      ),
      HOME: this.home,
      ROUSE_HOME: this.home,
      ROUSE_TMUX_SOCKET: this.#socket,
      ROUSE_FLEET_URL: urls[0],
      ROUSE_FLEET_TOKEN_FILE: tokenFile,
      // It is killed often here.
      ROUSE_GATEWAY_RESTARTS: '1000',
      ROUSE_TEST_CLOCK_MS: String(clockMs),
      NODE_OPTIONS: `--require ${CLOCK}`,
    };
  }

  rouse(...words: string[]): Promise<Said> {
    const [command = '', ...args] = [
      ...this.#place.network.enter(this.number),
      process.execPath,
      PROGRAM,
      ...words,
    ];
    return new Promise((resolve) => {
      execFile(command, args, { env: this.#env, cwd: this.home, timeout: 120_000 }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      );
    });
  }

  async launch(name: string): Promise<HostAgent> {
    const said = await this.rouse(
      ...[
        'agents',
        'launch',
        '--print-json',
        '--tool',
        'scripted',
        '--agent-name',
        name,
        '--gateway-auto-attach',
      ],
      ...['--gateway-background', '--mailbox-transport', 'fleet', '--', '--turn', '50ms'],
    );
    if (said.code !== 0) throw new Error(`${name} on host ${this.number}: ${said.stderr}${said.stdout}`);
    const shown = await this.rouse('agents', 'show', '--print-json', '--agent-name', name);
    const { transcript_path: transcript } = JSON.parse(shown.stdout) as Record<string, string>;
    const agent: HostAgent = {
      name,
      host: this,
      received: () =>
        readTranscript(transcript!)
          .filter(({ type }) => type === 'submitted')
          .map((record) => String(record['text'])),
      gatewayPid: () => {
        const root = path.dirname(transcript!);
        return Number(fs.readFileSync(path.join(root, 'gateway', 'run', 'gateway.pid'), 'utf8'));
      },
    };
    this.agents.push(agent);
    return agent;
  }

  async close(): Promise<void> {
    for (const { name } of this.agents) await this.rouse('agents', 'stop', '--agent-name', name);
    try {
      execFileSync('tmux', ['-S', this.#socket, 'kill-server'], { stdio: 'ignore' });
    } catch {
      // It ended with its last session.
    }
    fs.rmSync(this.home, { recursive: true, force: true });
  }
}
