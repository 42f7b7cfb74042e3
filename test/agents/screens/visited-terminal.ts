import { spawnSync } from 'node:child_process';
import * as path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { TestWorld } from '../../support/test-world.ts';
import { MockModel, type Received } from '../model/mock-model.ts';
import { findInstalled } from '../support/installed-tool.ts';
import { type Place, REAL_TOOLS, type RealTool } from '../support/real-tools.ts';
import type { Outcome, Stage, Visit } from './scene.ts';

const PATIENCE_MS = 60_000;
/** How long a screen must be unchanged to count as still. */
const STILL_MS = 1_500;
/** Longer than the time that any tool needs between a paste and its Enter. */
const PASTE_GAP_MS = 1_000;
const GIVES_UP_MS = 25_000;

/** One program in its own terminal, connected to the mock model. */
export class VisitedTerminal implements Stage {
  readonly world = new TestWorld();
  readonly model = new MockModel();
  readonly visit: Visit;
  readonly version: string;
  readonly place: Place;
  readonly #executable: string;
  #trials = 0;

  private constructor(visit: Visit, tool: RealTool) {
    const installed = findInstalled(tool.tool);
    this.visit = visit;
    this.#executable = installed.executable;
    const { directory: home, workdir, env } = this.world;
    env['PATH'] = [...installed.directories, process.env['PATH']].join(path.delimiter);
    const said = spawnSync(installed.executable, ['--version'], { encoding: 'utf8', env, cwd: workdir });
    this.version = /\d+\.\d+\.\d+/.exec(said.stdout + said.stderr)?.[0] ?? '';
    this.place = { home, workdir, modelUrl: '', secret: 'dummy-credential', trusted: !visit.untrusted };
  }

  static async open(visit: Visit): Promise<VisitedTerminal> {
    const tool = (REAL_TOOLS as Record<string, RealTool>)[visit.tool]!;
    const terminal = new VisitedTerminal(visit, tool);
    await terminal.model.open();
    terminal.place.modelUrl = terminal.model.url;
    const { env } = terminal.world;
    Object.assign(env, { COLORTERM: 'truecolor', ...tool.setUp(terminal.place), ...visit.env });
    visit.configure?.(terminal.place);
    terminal.#start();
    return terminal;
  }

  #start(): void {
    const { workdir, env } = this.world;
    const { columns, rows, args = [] } = this.visit;
    const kept = Object.entries({ ...env, TERM: 'tmux-256color', ...this.visit.env })
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name}=${value}`);
    this.world.tmux(
      ...['-f', '/dev/null', 'new-session', '-d', '-s', 'visit', '-c', workdir],
      ...['-x', String(columns), '-y', String(rows), 'env', '-i', ...kept, this.#executable, ...args],
    );
    this.world.tmux('set-option', '-g', 'remain-on-exit', 'on');
  }

  keys(...keys: string[]): void {
    this.world.tmux('send-keys', '-t', 'visit', ...keys);
  }

  types(text: string): void {
    this.keys('-l', '--', text);
  }

  pastes(text: string): void {
    this.world.tmux('set-buffer', '-b', 'visit', '--', text);
    this.world.tmux('paste-buffer', '-p', '-d', '-b', 'visit', '-t', 'visit');
  }

  async says(text: string): Promise<Received> {
    const before = this.model.log.length;
    this.pastes(text);
    await wait(PASTE_GAP_MS);
    this.keys('Enter');
    return this.#until(`the model gets ${text}`, () =>
      this.model.log.slice(before).find(({ prompt, side }) => !side && prompt.includes(text)),
    );
  }

  async command(text: string): Promise<void> {
    this.types(text);
    await wait(800);
    this.keys('Enter');
  }

  text(): string {
    return this.world.tmux('capture-pane', '-p', '-t', 'visit');
  }

  async shows(pattern: RegExp): Promise<void> {
    await this.#until(`the screen shows ${pattern}`, () => pattern.test(this.text()));
  }

  async still(): Promise<void> {
    let last = '';
    let since = Date.now();
    await this.#until('the screen stands still', () => {
      const now = this.#capture();
      if (now !== last) since = Date.now();
      last = now;
      const aside = this.model.log.some(({ open, side }) => open && side);
      return this.text() !== '' && !aside && Date.now() - since >= STILL_MS;
    });
  }

  async pause(ms: number): Promise<void> {
    await wait(ms);
  }

  resize(columns: number, rows: number): void {
    this.world.tmux('resize-window', '-t', 'visit', '-x', String(columns), '-y', String(rows));
  }

  received(pattern: RegExp): Promise<Received> {
    return this.#until(`the model gets ${pattern}`, () =>
      this.model.log.find(({ prompt, side }) => !side && pattern.test(prompt)),
    );
  }

  /** What the terminal shows: a line about it, then the screen with its styles. */
  capture(state: string): string {
    const [facts = '', ...picture] = this.#capture().split('\n');
    return `# ${this.visit.tool} / ${state}  ${facts} setup="${this.visit.setup}"\n${picture.join('\n')}\n`;
  }

  get size(): string {
    return this.world.tmux('display-message', '-p', '-t', 'visit', '#{pane_width}x#{pane_height}');
  }

  #capture(): string {
    const facts =
      'cursor=#{cursor_x},#{cursor_y} cursor_flag=#{cursor_flag} size=#{pane_width}x#{pane_height} ' +
      'alternate_on=#{alternate_on} title="#{pane_title}" cmd=#{pane_current_command}';
    return this.world.tmux(
      ...['display-message', '-p', '-t', 'visit', facts],
      ...[';', 'capture-pane', '-e', '-p', '-t', 'visit'],
    );
  }

  /** Sends a prompt as Rouse does, and observes how it ends. */
  async trial(): Promise<Outcome> {
    const text = `Trial ${++this.#trials}: please answer with one word.`;
    const before = this.model.log.length;
    const running = this.model.log.filter(({ open }) => open);
    this.pastes(text);
    await wait(PASTE_GAP_MS);
    this.keys('Enter');
    const sent = Date.now();
    const got = (): Received | undefined =>
      this.model.log.slice(before).find(({ prompt, side }) => !side && prompt.includes(text));
    while (!got() && Date.now() - sent < GIVES_UP_MS) await wait(20);
    const received = got();
    if (!received) return 'lost';
    if (received.prompt !== text) return 'merged';
    const first = this.model.log.slice(before).find(({ side }) => !side) === received;
    if (first && running.length === 0) return 'own_turn';
    return running.length > 0 && running.every(({ open }) => open) ? 'beside' : 'queued';
  }

  async #until<T>(what: string, look: () => T): Promise<NonNullable<T>> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const seen = look();
      if (seen) return seen as NonNullable<T>;
      if (Date.now() > deadline) throw new Error(`waited in vain until ${what}; the screen:\n${this.text()}`);
      await wait(100);
    }
  }

  async close(): Promise<void> {
    this.model.close();
    await this.world.close();
  }
}
