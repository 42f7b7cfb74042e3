import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { it, onTestFailed, onTestFinished } from 'vitest';
import { runCli } from '../../src/cli/index.ts';
import { Disguise } from './disguise.ts';

/** Other tests share this process, and expect it where it began. */
const ROOT_DIRECTORY = process.cwd();

const PROGRAM = path.resolve(import.meta.dirname, '../../bin/rouse');
const EXPECTED = path.join(import.meta.dirname, 'expected');

export interface Answer {
  code: number;
  out: string;
  err: string;
}

export interface Given {
  stdin?: string;
  env?: NodeJS.ProcessEnv;
  /** Ctrl-C once what was printed says so. */
  endWhen?: (printed: string) => boolean;
  /** Runs while the command does, once it has begun. */
  meanwhile?: () => Promise<unknown>;
}

/** A home of its own in which commands run one after the other; what they print is kept as a transcript. */
export class Stage {
  readonly directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rg-')));
  readonly workdir = path.join(this.directory, 'work');
  readonly socket = path.join(this.directory, 'tmux');
  readonly env: NodeJS.ProcessEnv;
  readonly #disguise: Disguise;
  readonly #name: string;
  readonly #children: ChildProcess[] = [];
  readonly #told: (Answer & { line: string })[] = [];

  /** `exact`: nothing printed here differs from run to run, so columns and all else are kept as they are. */
  constructor(name: string, { exact = false } = {}) {
    this.#name = name;
    this.#disguise = new Disguise({ exact });
    fs.mkdirSync(this.workdir);
    process.chdir(this.workdir);
    this.env = {
      PATH: process.env['PATH'],
      HOME: this.directory,
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      TZ: 'UTC',
      ROUSE_HOME: path.join(this.directory, 'home'),
      ROUSE_TMUX_SOCKET: this.socket,
      // Nobody listens there: a server of somebody else on this host is none of ours.
      CAO_PORT: '1',
    };
    this.call(this.directory, 'place');
    this.call(path.resolve(import.meta.dirname, '../..'), 'rouse');
    this.call(process.execPath, 'node');
  }

  at(...names: string[]): string {
    return path.join(this.directory, ...names);
  }

  /** In the transcript this value of today stands under a name. Answers the value. */
  call(value: string, name: string): string {
    this.#disguise.call(value, name);
    return value;
  }

  /** Runs one command and keeps what it printed. */
  async run(line: string | string[], given: Given = {}): Promise<Answer> {
    const words = wordsOf(line);
    const answer = await this.quietly(words, given);
    this.#keep(words, given, answer);
    return answer;
  }

  /** Runs a command that changes nothing in every style there is. */
  async show(line: string | string[], given: Given = {}): Promise<void> {
    const words = wordsOf(line);
    const plain = await this.run(words, given);
    await this.run(['--print-json', ...words], given);
    const fancy = await this.quietly(['--print-fancy', ...words], given);
    if (!this.#same(fancy, plain)) this.#keep(['--print-fancy', ...words], given, fancy);
  }

  /** Runs a command in plain and, where that is another text, as JSON. */
  async both(line: string | string[], given: Given = {}): Promise<void> {
    const words = ['--print-json', ...wordsOf(line)];
    const plain = await this.run(line, given);
    const json = await this.quietly(words, given);
    if (!this.#same(json, plain)) this.#keep(words, given, json);
  }

  #same(one: Answer, other: Answer): boolean {
    return this.#disguise.text(one.out + one.err) === this.#disguise.text(other.out + other.err);
  }

  /** As JSON, which must succeed; kept as well. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  async json(line: string | string[], given: Given = {}): Promise<any> {
    const { code, out, err } = await this.run(['--print-json', ...wordsOf(line)], given);
    if (code !== 0) throw new Error(`rouse ${wordsOf(line).join(' ')} exited with ${code}: ${err}`);
    return JSON.parse(out);
  }

  /** The same, and nothing is kept: to look, or to wait for something. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  async look(line: string | string[]): Promise<any> {
    const { out } = await this.quietly(['--print-json', ...wordsOf(line)], {});
    return out.trim() === '' ? {} : JSON.parse(out);
  }

  /** Waits until what is asked for holds; the test's own timeout is the limit. */
  async until<T>(ask: () => T | Promise<T>): Promise<NonNullable<T>> {
    for (;;) {
      const seen = await ask();
      if (seen) return seen as NonNullable<T>;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Runs the built program, as a shell does, and keeps what it printed. */
  outside(words: string[]): void {
    const done = spawnSync(PROGRAM, words, { cwd: this.workdir, env: this.env, encoding: 'utf8' });
    this.#keep(words, {}, { code: done.status ?? -1, out: done.stdout, err: done.stderr });
  }

  /** Runs the built program while something else is done, which must make it end; what it logs is not kept. */
  async around(words: string[], act: () => Promise<void>): Promise<void> {
    const child = spawn(PROGRAM, words, {
      cwd: this.workdir,
      env: this.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#children.push(child);
    let out = '';
    child.stdout.on('data', (part) => {
      out += part;
    });
    const ended = once(child, 'close');
    await act();
    const [code] = await ended;
    this.#keep(words, {}, { code, out, err: '' });
  }

  async quietly(words: string[], given: Given = {}): Promise<Answer> {
    const { stdin, env, endWhen, meanwhile } = given;
    const ctrlC = new AbortController();
    const told = { out: '', err: '' };
    const keep = (stream: 'out' | 'err') => (text: string) => {
      told[stream] += text;
      if (endWhen?.(told.out + told.err)) ctrlC.abort();
    };
    const running = runCli({
      argv: words,
      env: { ...this.env, ...env },
      stdout: { write: keep('out'), isTTY: false },
      stderr: { write: keep('err'), isTTY: false },
      stdin: async () => stdin ?? '',
      stdinIsTty: stdin === undefined,
      signal: ctrlC.signal,
    });
    await meanwhile?.();
    const code = await running;
    return { code, ...told };
  }

  get last(): string | undefined {
    return this.#told.at(-1)?.line;
  }

  /** Names are given while it runs, so what is told is disguised at the end. */
  get #transcript(): string {
    const disguised = (text: string): string[] => lines(this.#disguise.text(text));
    return this.#told
      .map(({ line, code, out, err }) => [
        `$ ${this.#disguise.text(line)}`,
        ...disguised(out),
        // Whoever waits for more than a second is told for what; how long it takes is not our matter.
        ...disguised(err.replace(/^.*…\n/gm, '')).map((text) => `2> ${text}`.trimEnd()),
        ...(code === 0 ? [] : [`exit ${code}`]),
      ])
      .map((parts) => `${parts.join('\n')}\n\n`)
      .join('');
  }

  /** Compares what was printed with what was committed, or writes it when that was asked for. */
  compare(): void {
    const file = path.join(EXPECTED, `${this.#name}.txt`);
    if (process.env['GOLDEN_UPDATE']) {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, this.#transcript);
      return;
    }
    const now = this.at('now.txt');
    fs.writeFileSync(now, this.#transcript);
    const labels = ['--label', `expected/${this.#name}.txt`, '--label', 'now'];
    const { stdout, stderr } = spawnSync('diff', ['-U1', ...labels, file, now], { encoding: 'utf8' });
    if (stdout + stderr === '') return;
    throw new Error(
      `${stdout}${stderr}\nIf this is meant: npm run golden -- --update, and a line in test/golden/changes.md`,
    );
  }

  tmux(...words: string[]): string {
    const done = spawnSync('tmux', ['-S', this.socket, ...words], { encoding: 'utf8', env: this.env });
    return done.status === 0 ? done.stdout.trimEnd() : '';
  }

  /** Ends what still runs here, by its own name. */
  async close(): Promise<void> {
    const { agents = [] } = await this.look('agents list');
    for (const { agent_id: id } of agents) await this.quietly(['agents', 'stop', '--agent-id', id]);
    for (const child of this.#children) if (child.exitCode === null) child.kill('SIGKILL');
    this.tmux('kill-server');
    process.chdir(ROOT_DIRECTORY);
    fs.rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  #keep(words: string[], { stdin, env }: Given, { code, out, err }: Answer): void {
    const before = Object.entries(env ?? {}).map(([name, value]) => `${name}=${value} `);
    const input = stdin === undefined ? '' : ` <<< ${JSON.stringify(stdin)}`;
    const line = `${before.join('')}rouse ${words.map(quoted).join(' ')}${input}`;
    this.#told.push({ line, code, out, err });
  }
}

const wordsOf = (line: string | string[]): string[] => (typeof line === 'string' ? line.split(' ') : line);

const quoted = (word: string): string => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word}'`);

function lines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

interface Played {
  /** See Stage. */
  exact?: boolean;
  /** With the full proofs only. */
  full?: boolean;
}

/** One scripted scenario: whatever it prints must be what was committed as expected/<name>.txt. */
export function scene(
  name: string,
  act: (stage: Stage) => Promise<void>,
  { full = false, ...options }: Played = {},
): void {
  it.skipIf(full && process.env['ROUSE_PROOF'] !== 'full')(`${name}: every line is as it was`, async () => {
    const stage = new Stage(name, options);
    onTestFinished(() => stage.close());
    onTestFailed(() => console.error(`${name}: the last that was run: ${stage.last}`));
    await act(stage);
    stage.compare();
  });
}

/** With real agents or servers it takes long: played by `npm run golden`, and with the full proofs. */
export function longScene(name: string, act: (stage: Stage) => Promise<void>): void {
  scene(name, act, { full: true });
}
