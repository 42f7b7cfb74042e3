import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { ControlClient, readTranscript, type TranscriptRecord } from '../support/scripted-agent.ts';
import { ROOT } from '../support/test-world.ts';

const run = promisify(execFile);

/** The tmux server that CAO and Rouse share. */
export class SharedTmux {
  readonly socket: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(socket: string, env: NodeJS.ProcessEnv) {
    this.socket = socket;
    this.#env = env;
  }

  async tmux(args: string[], stdin?: string): Promise<string> {
    const child = run('tmux', ['-S', this.socket, ...args], { env: this.#env, maxBuffer: 1 << 26 });
    if (stdin !== undefined) child.child.stdin?.end(stdin);
    return (await child).stdout.trimEnd();
  }
}

export interface TerminalOptions {
  session: string;
  directory: string;
  flags?: string[];
  /** Another program instead of the scripted agent. */
  program?: string;
}

/** A terminal as CAO creates it: a window with its own name, its id in the environment and a pipe to its log. */
export class StandInTerminal {
  readonly id = randomBytes(4).toString('hex');
  readonly window = `developer-${randomBytes(2).toString('hex')}`;
  readonly session: string;
  readonly place: SharedTmux;
  readonly #directory: string;
  readonly #flags: string[];
  /** Whether the agent got a prompt through CAO before: then its idle screen shows an answer. */
  answered = false;
  /** Since 2.3: the status last seen at rest. Only CAO's own typing clears it. */
  latched: string | undefined;
  #typedAt = Number.NEGATIVE_INFINITY;
  #submittedBefore = 0;
  /** A server that was started after the terminal. */
  forgotten = false;
  /** The status its provider pretends to read, whatever the screen shows. */
  pretends: string | undefined;
  control!: ControlClient;

  readonly #program: string | undefined;

  constructor(place: SharedTmux, { session, directory, flags = [], program }: TerminalOptions) {
    this.#program = program;
    this.place = place;
    this.session = session;
    this.#directory = path.join(directory, this.id);
    this.#flags = flags;
    fs.mkdirSync(this.#directory, { recursive: true });
  }

  /** CAO typed into it, so its next screen is read again. */
  release(): void {
    this.latched = undefined;
    this.#typedAt = performance.now();
    this.#submittedBefore = this.#program === undefined ? this.submitted().length : 0;
  }

  /** So soon after CAO's own typing an idle screen is the old one; a slow machine takes longer to begin a turn. */
  get mayBegin(): boolean {
    const since = performance.now() - this.#typedAt;
    if (since < 500 || this.#program !== undefined) return since < 500;
    return since < 5000 && this.submitted().length === this.#submittedBefore;
  }

  get target(): string {
    return `=${this.session}:=${this.window}`;
  }

  get transcript(): string {
    return path.join(this.#directory, 't.jsonl');
  }

  async begin(): Promise<void> {
    const own = ['--transcript', this.transcript, '--control', path.join(this.#directory, 'c.sock')];
    const flags = [...own, '--status-file', path.join(this.#directory, 'status'), ...this.#flags];
    const agent = [process.execPath, path.join(ROOT, 'dist/scripted-agent.cjs'), ...flags].join(' ');
    const there = await this.place.tmux(['has-session', '-t', `=${this.session}`]).then(
      () => true,
      () => false,
    );
    const where = there
      ? ['new-window', '-d', '-t', `=${this.session}:`]
      : ['new-session', '-d', '-s', this.session];
    const size = there ? [] : ['-x', '120', '-y', '40'];
    await this.place.tmux([
      ...where,
      ...size,
      ...['-n', this.window, '-e', `CAO_TERMINAL_ID=${this.id}`],
      this.#program ?? `sh -c '${agent}; PS1="shell$ " exec sh'`,
    ]);
    await this.place.tmux(['set-option', '-w', '-t', this.target, 'automatic-rename', 'off']);
    await this.place.tmux([
      'pipe-pane',
      '-o',
      '-t',
      this.target,
      `cat >> ${path.join(this.#directory, 'log')}`,
    ]);
    if (this.#program !== undefined) return;
    this.control = await ControlClient.connect(
      path.join(this.#directory, 'c.sock'),
      AbortSignal.timeout(30_000),
    );
    await this.control.event('ready');
  }

  /** What CAO's provider would read from the screen. */
  async seen(): Promise<string> {
    if (this.pretends !== undefined) return this.pretends;
    if (!(await this.runs())) return 'processing';
    const said = fs.readFileSync(path.join(this.#directory, 'status'), 'utf8').trim();
    if (said === 'busy') return 'processing';
    if (said === 'waiting') return 'waiting_user_answer';
    return this.answered ? 'completed' : 'idle';
  }

  /** Whether the agent still runs, not the shell below it. */
  async runs(): Promise<boolean> {
    if (this.pretends !== undefined) return true;
    const shell = await this.fact('#{pane_pid}');
    return fs.readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim() !== '';
  }

  fact(format: string): Promise<string> {
    return this.place.tmux(['display-message', '-p', '-t', this.target, format]);
  }

  async has(what: 'session' | 'window'): Promise<boolean> {
    const target = what === 'session' ? `=${this.session}` : this.target;
    const found = this.place.tmux(['list-panes', '-t', target]);
    return found.then(
      () => true,
      () => false,
    );
  }

  async paste(text: string): Promise<void> {
    const buffer = `cao_${randomBytes(4).toString('hex')}`;
    await this.place.tmux(['load-buffer', '-b', buffer, '-'], text);
    await this.place.tmux(['paste-buffer', '-p', '-d', '-b', buffer, '-t', this.target]);
  }

  press(key: string): Promise<string> {
    return this.place.tmux(['send-keys', '-t', this.target, key]);
  }

  screen(): Promise<string> {
    return this.place.tmux(['capture-pane', '-p', '-t', this.target]);
  }

  records(...types: string[]): TranscriptRecord[] {
    return readTranscript(this.transcript).filter(({ type }) => types.length === 0 || types.includes(type));
  }

  /** The prompts that the agent received. */
  submitted(): string[] {
    return this.records('submitted').map(({ text }) => String(text));
  }

  async shows(wanted: RegExp): Promise<string> {
    for (;;) {
      const screen = await this.screen();
      if (wanted.test(screen)) return screen;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
