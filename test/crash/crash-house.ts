import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { identifyProcess, isProcessAlive, type ProcessIdentity, systemClock } from '../../src/base/index.ts';
import { readTranscript } from '../../src/scripted/index.ts';
import {
  attach,
  detach,
  findTarget,
  launch,
  type ManifestFacts,
  type SessionContext,
  sessionPaths,
  stop,
} from '../../src/session/index.ts';

export interface DoomedGateway {
  port: number;
  /** Resolves when that process has ended. */
  died: Promise<void>;
}

/** One scripted agent in a private tmux server, whose gateway can be started to die at a named instant. */
export class CrashHouse {
  readonly directory: string;
  readonly report: string;
  #facts: ManifestFacts | undefined;

  private constructor() {
    this.directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-crash-'));
    this.report = path.join(this.directory, 'report.tsv');
  }

  static async open(): Promise<CrashHouse> {
    const house = new CrashHouse();
    const { facts } = await launch(house.#context(), {
      tool: 'scripted',
      agentName: 'victim',
      cwd: house.directory,
      headless: false,
      args: ['--turn', '100ms'],
    });
    house.#facts = facts;
    return house;
  }

  /** Starts the gateway; with a crash point, one that will die there. */
  async attach(crashAt?: string): Promise<DoomedGateway> {
    const context = this.#context(crashAt);
    const { status } = await attach(context, await this.#target(context), { mode: 'detached_process' });
    const file = path.join(sessionPaths(this.#facts!.root).gateway, 'run', 'gateway.pid');
    const identity = identifyProcess(Number(fs.readFileSync(file, 'utf8')))!;
    return { port: status.gateway_port!, died: ended(identity) };
  }

  async detach(): Promise<void> {
    const context = this.#context();
    await detach(context, await this.#target(context));
  }

  /** How often the agent really received exactly this text. */
  received(text: string): number {
    const transcript = path.join(this.#facts!.root, 'transcript.jsonl');
    return readTranscript(transcript).filter(
      (record) => record.type === 'submitted' && record['text'] === text,
    ).length;
  }

  async close(): Promise<void> {
    if (this.#facts) await stop(this.#context(), this.#facts);
    try {
      execFileSync('tmux', ['-S', this.#socket, 'kill-server'], { stdio: 'ignore' });
    } catch {
      // The server ends with its last session.
    }
    fs.rmSync(this.directory, { recursive: true, force: true });
  }

  get #socket(): string {
    return path.join(this.directory, 'tmux.sock');
  }

  #target(context: SessionContext) {
    return findTarget(context, { agentName: 'victim' });
  }

  #context(crashAt?: string): SessionContext {
    const at = (name: string): string => path.join(this.directory, name);
    const { TMUX: _tmux, TMUX_PANE: _pane, ...own } = process.env;
    return {
      settings: {
        runtimeDir: at('run'),
        mailboxDir: at('mail'),
        registryDir: at('registry'),
        tmuxSocket: this.#socket,
      },
      env: own,
      clock: systemClock,
      // Crash points are never handed on by themselves, so the program is started with its own.
      ...(crashAt && {
        gatewayProgram: [
          'env',
          `ROUSE_CRASH_AT=${crashAt}`,
          process.execPath,
          path.resolve('dist/gateway.js'),
        ],
      }),
    };
  }
}

/** The end of a process that is not our child can only be looked for. */
async function ended(identity: ProcessIdentity): Promise<void> {
  while (isProcessAlive(identity)) await new Promise((resolve) => setTimeout(resolve, 20));
}
