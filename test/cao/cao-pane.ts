import * as fs from 'node:fs';
import * as path from 'node:path';
import { silentLog, systemClock } from '../../src/base/index.ts';
import {
  type AgentSurface,
  type DeliveryResult,
  type Observation,
  openSurface,
  type PromptDelivery,
  type Stage,
  type SurfaceManifest,
} from '../../src/terminal/index.ts';
import type { TestWorld } from '../support/test-world.ts';
import { QUICK } from '../terminal/test-pane.ts';
import { type CaoVersion, StandInCao } from './stand-in-cao.ts';
import { SharedTmux, type StandInTerminal } from './stand-in-terminal.ts';

let count = 0;

/** A CAO server, one of its terminals with a scripted agent, and Rouse's surface of it. */
export class CaoPane {
  readonly directory: string;
  readonly cao: StandInCao;
  readonly recorded: Stage[] = [];
  terminal!: StandInTerminal;
  surface!: AgentSurface;

  private constructor(world: TestWorld, version: CaoVersion) {
    this.directory = path.join(world.directory, `cao-${count++}`);
    fs.mkdirSync(path.join(this.directory, 'run'), { recursive: true });
    this.cao = new StandInCao(new SharedTmux(world.socket, world.env), version);
  }

  static async open(
    world: TestWorld,
    { version = 'main', flags }: { version?: CaoVersion; flags?: string[] } = {},
  ): Promise<CaoPane> {
    const pane = new CaoPane(world, version);
    await pane.cao.start();
    const session = `cao-${path.basename(pane.directory)}`;
    pane.terminal = await pane.cao.terminal({ session, directory: world.directory, ...(flags && { flags }) });
    await pane.look();
    return pane;
  }

  /** Another surface on the same terminal, as after a restart of the gateway. */
  async look(): Promise<void> {
    this.surface = openSurface({
      manifest: this.#manifest(),
      sessionRoot: this.directory,
      laneLock: path.join(this.directory, 'run', 'lane.lock'),
      log: silentLog,
      clock: systemClock,
      timings: QUICK,
      patience: { proofMs: 1500 },
    });
    await this.surface.start();
  }

  #manifest(): SurfaceManifest {
    const { session, window, id, place } = this.terminal;
    return {
      tool: 'scripted',
      backend: 'cao_rest',
      agent_name: session,
      tmux_session_name: session,
      tmux: { session_name: session, socket: place.socket, primary_window_name: window },
      runtime: { session_id: path.basename(this.directory) },
      interactive: { terminal_id: id },
      cao: { api_base_url: this.cao.url, session_name: session, terminal_id: id, tmux_window_name: window },
      launch_plan: { executable: 'scripted-agent', args: [], metadata: {} },
    };
  }

  async until(matches: (observation: Observation) => boolean): Promise<Observation> {
    const now = this.surface.observation();
    return matches(now) ? now : this.surface.changed.next(matches);
  }

  ready(): Promise<Observation> {
    return this.until(({ ready }) => ready);
  }

  prompt(text: string, more: Partial<PromptDelivery> = {}): Promise<DeliveryResult> {
    return this.surface.deliver({
      requestId: `r-${Math.random().toString(16).slice(2)}`,
      text,
      policy: 'ready_only',
      record: async (stage) => void this.recorded.push(stage),
      ...more,
    });
  }

  /** The calls to CAO that type. */
  typings(): string[] {
    return this.cao.asked.filter((each) => each.startsWith('POST ') && !each.includes('/inbox/'));
  }

  async close(): Promise<void> {
    await this.surface?.close();
    this.terminal?.control.close();
    await this.cao.stop();
    await this.terminal?.place.tmux(['kill-session', '-t', `=${this.terminal.session}`]).catch(() => {});
  }
}
