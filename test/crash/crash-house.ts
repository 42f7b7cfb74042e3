import { execFile, execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { identifyProcess, isProcessAlive, type ProcessIdentity, systemClock } from '../../src/base/index.ts';
import {
  attach,
  detach,
  findTarget,
  launch,
  type ManifestFacts,
  relaunch,
  type SessionContext,
  sessionPaths,
  stop,
} from '../../src/session/index.ts';
import { GATEWAY_MODE } from '../support/gateway-mode.ts';
import { ControlClient, readTranscript } from '../support/scripted-agent.ts';

export interface DoomedGateway {
  port: number;
  /** Resolves when that process has ended. */
  died: Promise<void>;
}

/** One scripted agent in a private tmux server, whose gateway or command can be started to die at a named instant. */
export class CrashHouse {
  readonly directory: string;
  #facts: ManifestFacts | undefined;

  private constructor() {
    this.directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-crash-'));
  }

  static async open(): Promise<CrashHouse> {
    const house = new CrashHouse();
    const { facts } = await launch(house.#context(), {
      tool: 'scripted',
      agentName: 'victim',
      cwd: house.directory,
      headless: false,
      args: ['--turn', '100ms', '--control', house.#control],
    });
    house.#facts = facts;
    return house;
  }

  /** Starts the gateway; with a crash point, one that will die there. */
  async attach(crashAt?: string): Promise<DoomedGateway> {
    const context = this.#context(crashAt);
    const { status } = await attach(context, await this.#target(context), { mode: GATEWAY_MODE });
    const file = path.join(sessionPaths(this.#facts!.root).gateway, 'run', 'gateway.pid');
    const identity = identifyProcess(Number(fs.readFileSync(file, 'utf8')))!;
    return { port: status.gateway_port!, died: ended(identity) };
  }

  /** Starts a gateway that dies while it settles what the one before has left; that may be before it answers. */
  async dieTakingBack(point: string): Promise<void> {
    const doomed = await this.attach(point).catch(() => undefined);
    await doomed?.died;
  }

  async detach(): Promise<void> {
    const context = this.#context();
    await detach(context, await this.#target(context));
  }

  /** Ends the tool and starts it again, as another agent process. */
  async relaunch(): Promise<void> {
    await relaunch(this.#context(), this.#facts!);
  }

  /** Runs the command line, which dies at this instant; its signal. */
  rouse(args: string[], crashAt: string): Promise<NodeJS.Signals | undefined> {
    const { settings } = this.#context();
    const env = {
      ...process.env,
      TMUX: undefined,
      TMUX_PANE: undefined,
      ROUSE_CRASH_AT: crashAt,
      ROUSE_TMUX_SOCKET: this.#socket,
      HOUMAO_GLOBAL_RUNTIME_DIR: settings.runtimeDir,
      HOUMAO_GLOBAL_REGISTRY_DIR: settings.registryDir,
      HOUMAO_GLOBAL_MAILBOX_DIR: settings.mailboxDir,
    };
    return new Promise((resolve) => {
      const words = [path.resolve('dist/rouse.cjs'), ...args];
      const child = execFile(process.execPath, words, { env }, (error) =>
        resolve(error?.signal ?? undefined),
      );
      child.stdin?.end();
    });
  }

  /** Steers the tool that runs now. */
  async steer<T>(act: (control: ControlClient) => Promise<T>): Promise<T> {
    const control = await ControlClient.connect(this.#control, AbortSignal.timeout(30_000));
    try {
      return await act(control);
    } finally {
      control.close();
    }
  }

  /** Its last turn has ended. */
  atRest(): Promise<void> {
    return this.steer(async (control) => {
      const { mark } = control;
      const { state } = (await control.send('status')) as { state: string };
      if (state !== 'ready') await control.event('ready', undefined, mark);
    });
  }

  /** How often the agent really received exactly this text. */
  received(text: string): number {
    return this.#records().filter((record) => record.type === 'submitted' && record['text'] === text).length;
  }

  /** How many of its turns the agent says were interrupted by a key. */
  interrupted(): number {
    return this.#records().filter((record) => record.type === 'interrupted' && record['by'] !== 'control')
      .length;
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

  #records() {
    const file = path.join(this.#facts!.root, 'transcript.jsonl');
    return fs.existsSync(file) ? readTranscript(file) : [];
  }

  get #socket(): string {
    return path.join(this.directory, 'tmux.sock');
  }

  get #control(): string {
    return path.join(this.directory, 'c.sock');
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
      // What a crash leaves is looked at first; the next attach starts the gateway again.
      env: { ...own, ROUSE_GATEWAY_RESTARTS: '0' },
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
