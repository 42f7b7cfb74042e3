import * as fs from 'node:fs';
import * as path from 'node:path';
import { identifyProcess, isProcessAlive, type ProcessIdentity } from '../../src/base/index.ts';
import {
  attach,
  detach,
  findTarget,
  type ManifestFacts,
  relaunch,
  sessionPaths,
  stop,
} from '../../src/session/index.ts';
import { ControlClient, promptsOf, readTranscript } from '../support/scripted-agent.ts';
import { TestWorld } from '../support/test-world.ts';

export interface DoomedGateway {
  port: number;
  /** Resolves when that process has ended. */
  died: Promise<void>;
}

/** A world with one agent, whose gateway or command can be started so that it dies at a named instant. */
export class CrashWorld extends TestWorld {
  readonly #control = path.join(this.directory, 'c.sock');
  #facts: ManifestFacts | undefined;

  static async open(): Promise<CrashWorld> {
    const world = new CrashWorld();
    // The test first looks at what a crash left; the next attach starts the gateway again.
    world.env['ROUSE_GATEWAY_RESTARTS'] = '0';
    const args = ['--turn', '100ms', '--control', world.#control];
    world.#facts = await world.launch('victim', { args, mailbox: undefined });
    return world;
  }

  /** Starts the gateway; with a crash point, it dies there. */
  async attach(crashAt?: string): Promise<DoomedGateway> {
    this.gatewayCrashAt = crashAt;
    const { context } = this;
    this.gatewayCrashAt = undefined;
    const { status } = await attach(context, await this.#target(), { mode: this.mode });
    const file = path.join(sessionPaths(this.#facts!.root).gateway, 'run', 'gateway.pid');
    const identity = identifyProcess(Number(fs.readFileSync(file, 'utf8')))!;
    return { port: status.gateway_port!, died: ended(identity) };
  }

  /** Starts a gateway that dies while it settles what the last one left, perhaps before it answers. */
  async dieTakingBack(point: string): Promise<void> {
    const doomed = await this.attach(point).catch(() => undefined);
    await doomed?.died;
  }

  async detach(): Promise<void> {
    await detach(this.context, await this.#target());
  }

  /** Ends the tool and starts it again, as another agent process. */
  async relaunch(): Promise<void> {
    await relaunch(this.context, this.#facts!);
  }

  /** Controls the tool that runs now. */
  async steered<T>(act: (control: ControlClient) => Promise<T>): Promise<T> {
    const control = await ControlClient.connect(this.#control, AbortSignal.timeout(30_000));
    try {
      return await act(control);
    } finally {
      control.close();
    }
  }

  /** Its last turn has ended. */
  atRest(): Promise<void> {
    return this.steered(async (control) => {
      const { mark } = control;
      const { state } = (await control.send('status')) as { state: string };
      if (state !== 'ready') await control.event('ready', undefined, mark);
    });
  }

  /** How often the agent received exactly this text. */
  received(text: string): number {
    return this.#hasRecords ? promptsOf(this.#facts!.root).filter((each) => each === text).length : 0;
  }

  /** How many of its turns were interrupted by a key, as the agent reports. */
  interrupted(): number {
    if (!this.#hasRecords) return 0;
    return readTranscript(this.#transcript).filter(
      (record) => record.type === 'interrupted' && record['by'] !== 'control',
    ).length;
  }

  override async close(): Promise<string[]> {
    if (this.#facts) await stop(this.context, this.#facts);
    return super.close();
  }

  get #transcript(): string {
    return path.join(this.#facts!.root, 'transcript.jsonl');
  }

  get #hasRecords(): boolean {
    return fs.existsSync(this.#transcript);
  }

  #target() {
    return findTarget(this.context, { agentName: 'victim' });
  }
}

/** The end of a process that is not our child can only be polled. */
async function ended(identity: ProcessIdentity): Promise<void> {
  while (isProcessAlive(identity)) await new Promise((resolve) => setTimeout(resolve, 20));
}
