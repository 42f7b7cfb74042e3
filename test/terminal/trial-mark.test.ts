import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Emitter, silentLog } from '../../src/base/index.ts';
import { readReason, reasonTexts, standingOf } from '../../src/domain/index.ts';
import { type AgentSurface, type Observation, openSurface } from '../../src/terminal/index.ts';
import { ScriptedWorld } from '../scripted/scripted-world.ts';
import { QUICK } from './test-pane.ts';

const PROGRAM = path.join(import.meta.dirname, 'drawn-tool.mjs');
const MARK = '˙ˑ˙';
const BACKSPACE = '\x7f';

let world: ScriptedWorld;
beforeAll(async () => {
  world = await ScriptedWorld.open();
});
afterAll(() => world.close());

/** An unknown version of claude in a pane, whose hooks report that it is idle, and the surface on it. */
class UnknownVersion {
  static #count = 0;
  readonly #name = `unknown-version-${UnknownVersion.#count++}`;
  readonly #directory = path.join(world.directory, this.#name);
  readonly #received = path.join(this.#directory, 'received');
  readonly #habits: string[];
  #pid = 0;
  /** Why the surface could not find the composer, once it reports it. */
  refused!: Promise<string>;
  surface!: AgentSurface;

  constructor(...habits: string[]) {
    this.#habits = habits;
  }

  async open(): Promise<this> {
    fs.mkdirSync(path.join(this.#directory, 'run'), { recursive: true });
    const signals = path.join(this.#directory, 'signals');
    fs.mkdirSync(signals);
    const started = new Promise((resolve) => {
      const watcher = fs.watch(signals, (_, name) => {
        if (!name?.endsWith('.json')) return;
        watcher.close();
        resolve(name);
      });
    });
    const command = [process.execPath, PROGRAM, this.#received, signals, ...this.#habits];
    const start = ['new-session', '-d', '-P', '-F', '#{pane_pid}', '-x', '100', '-y', '30', '-s', this.#name];
    this.#pid = Number(await world.tmux([...start, `exec ${command.join(' ')}`]));
    await started;
    return this.watch();
  }

  async watch(): Promise<this> {
    const refusals = new Emitter<string>();
    this.refused = refusals.next();
    this.surface = openSurface({
      manifest: {
        tool: 'claude',
        backend: 'local_interactive',
        agent_name: this.#name,
        tmux_session_name: this.#name,
        tmux: { session_name: this.#name, socket: world.socket, primary_window_name: 'agent' },
        runtime: { session_id: this.#name, agent_pid: this.#pid },
        launch_policy_provenance: { detected_tool_version: '2.0.50' },
        launch_plan: { executable: process.execPath, args: [PROGRAM], metadata: {} },
      },
      sessionRoot: this.#directory,
      laneLock: path.join(this.#directory, 'run', 'lane.lock'),
      log: { ...silentLog, warn: (_, facts) => refusals.emit(String(facts?.['because'])) },
      timings: QUICK,
      patience: { echoMs: 1000 },
    });
    await this.surface.start();
    return this;
  }

  async until(matches: (observation: Observation) => boolean): Promise<void> {
    if (!matches(this.surface.observation())) await this.surface.changed.next(matches);
  }

  /** Waits long enough for a trial, which would begin half a second after the screen is still. */
  async rests(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }

  get received(): string {
    return fs.readFileSync(this.#received, 'utf8');
  }

  get needsYou(): string | null {
    return standingOf({ tool: 'claude', reasons: this.surface.observation().reasons }).needs_you;
  }

  async close(): Promise<void> {
    await this.surface.close();
    await world.tmux(['kill-session', '-t', `=${this.#name}`]).catch(() => {});
  }
}

describe('an unknown version of a tool', () => {
  it('an unknown version is not typed into if no composer surrounds the cursor, and no dialog is claimed', async () => {
    const tool = await new UnknownVersion().open();
    expect(await tool.refused).toBe('nothing shows that text is taken at the cursor');
    expect(tool.received).toBe('');
    expect(tool.surface.observation().reasons).toEqual([
      readReason("tool_version='2.0.50'"),
      readReason("ready_posture='unknown'"),
    ]);
    expect(tool.needsYou).toMatch(/^version 2\.0\.50 of claude is not known, so nothing is typed into it/);
    await tool.close();
  });

  it('an unknown version is not typed into before it has drawn anything', async () => {
    const tool = await new UnknownVersion('blank').open();
    expect(await tool.refused).toBe('nothing shows that text is taken at the cursor');
    expect(tool.received).toBe('');
    await tool.close();
  });

  it('an unknown version that shows the mark away from its cursor has it erased', async () => {
    const tool = await new UnknownVersion('apart').open();
    expect(await tool.refused).toBe('the marker did not appear at the cursor');
    expect(tool.received).toBe(MARK + BACKSPACE.repeat(3));
    expect(tool.needsYou).toMatch(/^version 2\.0\.50 of claude is not known/);
    await tool.close();
  });

  it('an unknown version gets no second mark if the first cannot be erased, and a person is asked to delete it', async () => {
    const tool = await new UnknownVersion('cursor', 'keeps').open();
    expect(await tool.refused).toBe('the mark could not be taken back');
    await tool.until(({ reasons }) => reasonTexts(reasons).includes("trial_mark='shown'"));
    expect(tool.needsYou).toMatch(
      /^the mark ˙ˑ˙ that Rouse typed to find its composer is still there; delete it/,
    );
    expect(tool.received).toBe(MARK + BACKSPACE);
    await tool.surface.close();
    await tool.watch();
    await tool.until(({ reasons }) => reasonTexts(reasons).includes("trial_mark='shown'"));
    await tool.rests();
    expect(tool.received).toBe(MARK + BACKSPACE);
    await tool.close();
  });
});
