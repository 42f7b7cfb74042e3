import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '../support/bundle.ts';
import { ControlClient, readTranscript, type TranscriptRecord } from '../support/scripted-agent.ts';

const run = promisify(execFile);

/** A private tmux server, the scripted agent bundled into one file, and the agents started in it. */
export class ScriptedWorld {
  readonly directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-scripted-'));
  readonly socket = `rouse-test-${randomBytes(6).toString('hex')}`;
  readonly program = path.join(this.directory, 'agent.mjs');
  /** Set before a start: arguments before the program and its flags, such as limits, variables, options of node. */
  before: { words: string[]; node: string[] } = { words: [], node: [] };
  #panes: AgentPane[] = [];
  #socketPath = '';

  static async open(): Promise<ScriptedWorld> {
    const world = new ScriptedWorld();
    await bundle(path.resolve(import.meta.dirname, '../support/scripted-program.ts'), world.program);
    // Otherwise the server ends with its last agent, perhaps exactly when the next one starts.
    await world.tmux(['start-server', ';', 'set-option', '-g', 'exit-empty', 'off']);
    world.#socketPath = (await world.tmux(['display-message', '-p', '#{socket_path}'])).trim();
    return world;
  }

  async tmux(args: string[], stdin?: string): Promise<string> {
    const child = run('tmux', ['-L', this.socket, '-f', '/dev/null', ...args], { maxBuffer: 1 << 26 });
    if (stdin !== undefined) child.child.stdin?.end(stdin);
    return (await child).stdout;
  }

  /** The command line of an agent, for a shell. */
  command(flags: string[]): string {
    const { words, node } = this.before;
    return [...words, process.execPath, ...node, this.program, ...flags].map(quoted).join(' ');
  }

  /** Starts an agent in its own window; with `shell` below a shell, which remains when the agent ends. */
  async start(
    flags: string[] = [],
    place: { columns?: number; rows?: number; shell?: boolean } = {},
  ): Promise<AgentPane> {
    const pane = new AgentPane(this, this.#panes.length);
    this.#panes.push(pane);
    const own = ['--transcript', pane.transcriptPath, '--control', pane.controlPath];
    const command = this.command([...own, ...flags]);
    const { columns = 100, rows = 30, shell = false } = place;
    const size = ['-x', String(columns), '-y', String(rows)];
    const inner = shell ? `${command}; PS1='shell$ ' exec sh` : `exec ${command}`;
    await this.tmux(['new-session', '-d', '-s', pane.session, ...size, inner]);
    pane.control = await ControlClient.connect(pane.controlPath, AbortSignal.timeout(30_000));
    await pane.control.event('ready');
    return pane;
  }

  /** The pane of the starting agent, as soon as tmux has it; the agent may not listen yet. */
  async nextPane(): Promise<AgentPane> {
    const pane = this.#panes.at(-1)!;
    await pane.shows(/./, () =>
      this.tmux(['has-session', '-t', `=${pane.session}`]).then(
        () => 'there',
        () => '',
      ),
    );
    return pane;
  }

  async close(): Promise<void> {
    for (const pane of this.#panes) pane.control?.close();
    spawnSync('tmux', ['-L', this.socket, 'kill-server']);
    if (this.#socketPath !== '') fs.rmSync(this.#socketPath, { force: true });
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}

const quoted = (word: string): string =>
  /^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

export class AgentPane {
  readonly session: string;
  readonly transcriptPath: string;
  readonly controlPath: string;
  control!: ControlClient;
  #world: ScriptedWorld;

  constructor(world: ScriptedWorld, number: number) {
    this.#world = world;
    this.session = `agent-${number}`;
    this.transcriptPath = path.join(world.directory, `${number}.jsonl`);
    this.controlPath = path.join(world.directory, `${number}.sock`);
  }

  /** As the lane does it: a buffer from standard input, pasted in brackets. */
  async paste(text: string): Promise<void> {
    await this.#world.tmux(['load-buffer', '-b', this.session, '-'], text);
    await this.#world.tmux(['paste-buffer', '-p', '-d', '-b', this.session, '-t', `=${this.session}:`]);
  }

  /** Like a person, but faster. */
  async type(text: string): Promise<void> {
    for (let at = 0; at < text.length; at += 4000) {
      const part = text.slice(at, at + 4000);
      await this.#world.tmux(['send-keys', '-t', `=${this.session}:`, '-l', '--', part]);
    }
  }

  async press(...keys: string[]): Promise<void> {
    await this.#world.tmux(['send-keys', '-t', `=${this.session}:`, ...keys]);
  }

  /** Waits until the composer holds exactly this text. */
  async drafted(text: string, sha256: string): Promise<void> {
    await this.control.event(
      'draft',
      (event) => event['sha256'] === sha256 && event['bytes'] === Buffer.byteLength(text),
    );
  }

  screen(escapes = false): Promise<string> {
    const flags = escapes ? ['-p', '-e'] : ['-p'];
    return this.#world.tmux(['capture-pane', ...flags, '-t', `=${this.session}:`]);
  }

  async fact(format: string): Promise<string> {
    return (await this.#world.tmux(['display-message', '-p', '-t', `=${this.session}:`, format])).trimEnd();
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#world.tmux([
      'resize-window',
      '-t',
      `=${this.session}:`,
      '-x',
      String(columns),
      '-y',
      String(rows),
    ]);
  }

  /** Polls the pane until it shows this; tmux has no event for it. The test's own timeout is the limit. */
  async shows(wanted: RegExp, look: () => Promise<string> = () => this.screen()): Promise<string> {
    for (;;) {
      const seen = await look();
      if (wanted.test(seen)) return seen;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }

  records(...types: string[]): TranscriptRecord[] {
    return readTranscript(this.transcriptPath).filter(
      (record) => types.length === 0 || types.includes(record.type),
    );
  }
}
