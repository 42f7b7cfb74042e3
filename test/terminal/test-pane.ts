import * as fs from 'node:fs';
import * as path from 'node:path';
import { silentLog, systemClock } from '../../src/base/index.ts';
import {
  type AgentSurface,
  type Evidence,
  type Observation,
  openSurface,
  type PromptDelivery,
  type Stage,
  type SurfaceManifest,
  type SurfaceOptions,
} from '../../src/terminal/index.ts';
import { DRAIN_TERMINAL, KEEP_TERMINAL_MODES } from '../../src/tmux/index.ts';
import type { ScriptedWorld } from '../scripted/scripted-world.ts';
import { ControlClient, readTranscript, type TranscriptRecord } from '../support/scripted-agent.ts';

/** Short times for thousands of prompts; the conditions are the same. */
export const QUICK = {
  watch_poll_interval_seconds: 0.2,
  stability_threshold_seconds: 0.06,
  completion_stability_seconds: 0.06,
  unknown_to_stalled_timeout_seconds: 5,
  stale_active_recovery_seconds: 1,
  final_stable_active_recovery_seconds: 3,
};

export interface PaneOptions {
  flags?: string[];
  shell?: boolean;
  columns?: number;
  rows?: number;
  surface?: Partial<SurfaceOptions>;
  statusFile?: boolean;
}

export interface RecordedStage {
  stage: Stage;
  evidence: Evidence;
}

const LONGEST_WAIT_MS = 20_000;

/** A scripted agent in its pane, and the surface under test. */
export class TestPane {
  static #count = 0;
  readonly session: string;
  readonly directory: string;
  readonly transcriptPath: string;
  readonly manifest: SurfaceManifest;
  readonly #world: ScriptedWorld;
  readonly #options: PaneOptions;
  readonly #command: string;
  control!: ControlClient;
  surface!: AgentSurface;

  constructor(world: ScriptedWorld, options: PaneOptions = {}) {
    const number = TestPane.#count++;
    this.#world = world;
    this.#options = options;
    this.session = `pane-${number}`;
    this.directory = path.join(world.directory, `d${number}`);
    fs.mkdirSync(path.join(this.directory, 'run'), { recursive: true });
    this.transcriptPath = path.join(this.directory, 'transcript.jsonl');
    const status = path.join(this.directory, 'status.json');
    const withStatus = options.statusFile ?? true;
    const flags = [
      '--transcript',
      this.transcriptPath,
      '--control',
      path.join(this.directory, 'c.sock'),
      ...(withStatus ? ['--status-file', status] : []),
      ...(options.flags ?? []),
    ];
    this.#command = world.command(flags);
    this.manifest = {
      tool: 'scripted',
      backend: 'local_interactive',
      agent_name: this.session,
      tmux_session_name: this.session,
      tmux: { session_name: this.session, socket: world.socket, primary_window_name: 'agent' },
      runtime: { session_id: `session-${number}` },
      launch_plan: {
        executable: process.execPath,
        args: [world.program, ...flags],
        metadata: { rouse: withStatus ? { status_path: status } : {} },
      },
    };
  }

  /** Starts the agent; returns its process id. */
  async begin(): Promise<number> {
    const { columns = 100, rows = 30 } = this.#options;
    const size = ['-x', String(columns), '-y', String(rows)];
    const print = ['-P', '-F', '#{pane_pid}'];
    const pid = await this.tmux(['new-session', '-d', ...print, '-s', this.session, ...size, this.#inner()]);
    await this.connect();
    return Number(pid);
  }

  async open(): Promise<this> {
    if (!this.control) await this.begin();
    this.surface = openSurface(this.surfaceOptions());
    await this.surface.start();
    return this;
  }

  surfaceOptions(): SurfaceOptions {
    return {
      manifest: this.manifest,
      sessionRoot: this.directory,
      laneLock: path.join(this.directory, 'run', 'lane.lock'),
      log: silentLog,
      clock: systemClock,
      timings: QUICK,
      ...this.#options.surface,
    };
  }

  /** Waits for an observation, the current one or a later one. */
  async until(matches: (observation: Observation) => boolean): Promise<void> {
    if (!matches(this.surface.observation())) await this.surface.changed.next(matches);
  }

  async connect(): Promise<void> {
    this.control = await ControlClient.connect(
      path.join(this.directory, 'c.sock'),
      AbortSignal.timeout(30_000),
    );
    await this.control.event('ready');
  }

  #inner(): string {
    if (!this.#options.shell) return `exec ${this.#command}`;
    // On a new row, because the terminal itself may have shown input for the dead agent.
    const shell = "printf '\\r\\n\\033[J'; PS1='shell$ ' ENV= exec sh";
    return [KEEP_TERMINAL_MODES, this.#command, DRAIN_TERMINAL, shell].join('\n');
  }

  get place(): { socket: string; session: string } {
    return { socket: this.#world.socket, session: this.session };
  }

  async close(): Promise<void> {
    await this.surface?.close();
    this.control?.close();
    await this.#world.tmux(['kill-session', '-t', `=${this.session}`]).catch(() => {});
  }

  /** Waits until the surface reports ready. */
  async ready(): Promise<void> {
    if (this.surface.observation().ready) return;
    await this.surface.changed.next(({ ready }) => ready);
  }

  prompt(text: string, more: Partial<PromptDelivery> = {}): PromptDelivery & { recorded: RecordedStage[] } {
    const recorded: RecordedStage[] = [];
    return {
      requestId: `r-${Math.random().toString(16).slice(2)}`,
      text,
      policy: 'ready_only',
      record: async (stage, evidence) => void recorded.push({ stage, evidence }),
      ...more,
      recorded,
    };
  }

  resize(columns: number, rows: number): Promise<string> {
    return this.tmux([
      'resize-window',
      '-t',
      `=${this.session}:0`,
      '-x',
      String(columns),
      '-y',
      String(rows),
    ]);
  }

  /** Waits until the screen shows this. */
  async shows(text: string): Promise<void> {
    while (!(await this.screen()).includes(text)) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  /** Waits until the composer's text matches, and returns it. */
  async draft(like: RegExp): Promise<string> {
    for (const start = performance.now(); ; ) {
      const { draft } = (await this.control.send('status')) as { draft: { text: string } };
      if (like.test(draft.text)) return draft.text;
      if (performance.now() - start > LONGEST_WAIT_MS) {
        const received = this.records('submitted').map(({ text }) => text);
        throw new Error(
          `the draft stayed ${JSON.stringify(draft.text)}; received: ${JSON.stringify(received)}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Waits for the shell below a crashed agent and returns what it shows. */
  async shellScreen(): Promise<string> {
    for (;;) {
      const screen = await this.screen();
      if (/^shell\$/m.test(screen)) return screen.slice(screen.lastIndexOf('shell$')).trimEnd();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Starts the agent again in the same pane. */
  async restart(): Promise<void> {
    this.control.close();
    await this.tmux(['respawn-pane', '-k', '-t', `=${this.session}:0`, this.#inner()]);
    await this.connect();
  }

  type(text: string): Promise<string> {
    return this.#world.tmux(['send-keys', '-t', `=${this.session}:`, '-l', '--', text]);
  }

  press(...keys: string[]): Promise<string> {
    return this.#world.tmux(['send-keys', '-t', `=${this.session}:`, ...keys]);
  }

  tmux(args: string[], stdin?: string): Promise<string> {
    return this.#world.tmux(args, stdin);
  }

  screen(): Promise<string> {
    return this.#world.tmux(['capture-pane', '-p', '-t', `=${this.session}:`]);
  }

  records(...types: string[]): TranscriptRecord[] {
    return readTranscript(this.transcriptPath).filter(
      ({ type }) => types.length === 0 || types.includes(type),
    );
  }
}

/** Runs a test with a ready agent in its own pane, which is removed afterwards. */
export async function inPane(
  world: ScriptedWorld,
  test: (pane: TestPane) => Promise<void>,
  options?: PaneOptions,
): Promise<void> {
  const pane = await new TestPane(world, options).open();
  try {
    await pane.ready();
    await test(pane);
  } finally {
    await pane.close();
  }
}
