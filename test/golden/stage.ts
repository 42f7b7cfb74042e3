import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { it, onTestFailed, onTestFinished } from 'vitest';
import { runCli } from '../../src/cli/index.ts';
import { Disguise } from './disguise.ts';

/** Other tests share this process and expect its first working directory. */
const ROOT_DIRECTORY = process.cwd();

const PROGRAM = path.resolve(import.meta.dirname, '../../bin/rouse');
const EXPECTED = path.join(import.meta.dirname, 'expected');

export interface Answer {
  code: number;
  out: string;
  err: string;
}

export interface RunOptions {
  stdin?: string;
  env?: NodeJS.ProcessEnv;
  /** Sends Ctrl-C when this is true of the output. */
  endWhen?: (printed: string) => boolean;
  /** Runs while the command runs, after its start. */
  during?: () => Promise<unknown>;
}

/** A separate home in which commands run one after the other; their output is kept as a transcript. */
export class Stage {
  readonly directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rg-')));
  readonly workdir = path.join(this.directory, 'work');
  readonly socket = path.join(this.directory, 'tmux');
  readonly env: NodeJS.ProcessEnv;
  readonly #disguise: Disguise;
  readonly #name: string;
  readonly #children: ChildProcess[] = [];
  readonly #printed: (Answer & { line: string })[] = [];

  /** `exact`: the output does not differ between runs, so nothing in it is replaced. */
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
      // Nothing listens there: another person's server on this host must not be used.
      CAO_PORT: '1',
    };
    this.call(this.directory, 'place');
    this.call(path.resolve(import.meta.dirname, '../..'), 'rouse');
    this.call(process.execPath, 'node');
  }

  at(...names: string[]): string {
    return path.join(this.directory, ...names);
  }

  /** Shows this value under a name in the transcript. Returns the value. */
  call(value: string, name: string): string {
    this.#disguise.call(value, name);
    return value;
  }

  /** Runs one command and keeps its output. */
  async run(line: string | string[], given: RunOptions = {}): Promise<Answer> {
    const words = wordsOf(line);
    const answer = await this.quietly(words, given);
    this.#keep(words, given, answer);
    return answer;
  }

  /** Runs a read-only command in every output style. */
  async show(line: string | string[], given: RunOptions = {}): Promise<void> {
    const words = wordsOf(line);
    const plain = await this.run(words, given);
    await this.run(['--print-json', ...words], given);
    const fancy = await this.quietly(['--print-fancy', ...words], given);
    if (!this.#same(fancy, plain)) this.#keep(['--print-fancy', ...words], given, fancy);
  }

  /** Runs a command in plain style and, if that differs, as JSON. */
  async both(line: string | string[], given: RunOptions = {}): Promise<void> {
    const words = ['--print-json', ...wordsOf(line)];
    const plain = await this.run(line, given);
    const json = await this.quietly(words, given);
    if (!this.#same(json, plain)) this.#keep(words, given, json);
  }

  #same(one: Answer, other: Answer): boolean {
    return this.#disguise.text(one.out + one.err) === this.#disguise.text(other.out + other.err);
  }

  /** Runs a command as JSON, which must succeed; keeps the output too. */
  // biome-ignore lint/suspicious/noExplicitAny: output of every shape
  async json(line: string | string[], given: RunOptions = {}): Promise<any> {
    const { code, out, err } = await this.run(['--print-json', ...wordsOf(line)], given);
    if (code !== 0) throw new Error(`rouse ${wordsOf(line).join(' ')} exited with ${code}: ${err}`);
    return JSON.parse(out);
  }

  /** The same without keeping the output: to look, or to wait for something. */
  // biome-ignore lint/suspicious/noExplicitAny: output of every shape
  async look(line: string | string[]): Promise<any> {
    const { out } = await this.quietly(['--print-json', ...wordsOf(line)], {});
    return out.trim() === '' ? {} : JSON.parse(out);
  }

  /** Waits until the condition holds; the test's own timeout is the limit. */
  async until<T>(ask: () => T | Promise<T>): Promise<NonNullable<T>> {
    for (;;) {
      const seen = await ask();
      if (seen) return seen as NonNullable<T>;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Runs the built program, as a shell does, and keeps its output. */
  outside(words: string[]): void {
    const done = spawnSync(PROGRAM, words, { cwd: this.workdir, env: this.env, encoding: 'utf8' });
    this.#keep(words, {}, { code: done.status ?? -1, out: done.stdout, err: done.stderr });
  }

  /** Runs the built program while something else happens, which must end it; its log is not kept. */
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

  async quietly(words: string[], given: RunOptions = {}): Promise<Answer> {
    const { stdin, env, endWhen, during } = given;
    const ctrlC = new AbortController();
    const printed = { out: '', err: '' };
    const keep = (stream: 'out' | 'err') => (text: string) => {
      printed[stream] += text;
      if (endWhen?.(printed.out + printed.err)) ctrlC.abort();
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
    await during?.();
    const code = await running;
    return { code, ...printed };
  }

  get last(): string | undefined {
    return this.#printed.at(-1)?.line;
  }

  /** Values get their names while it runs, so the output is disguised at the end. */
  get #transcript(): string {
    const disguised = (text: string): string[] => lines(this.#disguise.text(text));
    return this.#printed
      .map(({ line, code, out, err }) => [
        `$ ${this.#disguise.text(line)}`,
        ...disguised(out),
        // After a second a command prints what it waits for; how long it takes does not matter here.
        ...disguised(err.replace(/^.*…\n/gm, '')).map((text) => `2> ${text}`.trimEnd()),
        ...(code === 0 ? [] : [`exit ${code}`]),
      ])
      .map((parts) => `${parts.join('\n')}\n\n`)
      .join('');
  }

  /** Compares the output with the committed one, or writes it on request. */
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

  /** Ends what still runs here, by its name. */
  async close(): Promise<void> {
    const { agents = [] } = await this.look('agents list');
    for (const { agent_id: id } of agents) await this.quietly(['agents', 'stop', '--agent-id', id]);
    for (const child of this.#children) if (child.exitCode === null) child.kill('SIGKILL');
    this.tmux('kill-server');
    process.chdir(ROOT_DIRECTORY);
    fs.rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  #keep(words: string[], { stdin, env }: RunOptions, { code, out, err }: Answer): void {
    const before = Object.entries(env ?? {}).map(([name, value]) => `${name}=${value} `);
    const input = stdin === undefined ? '' : ` <<< ${JSON.stringify(stdin)}`;
    const line = `${before.join('')}rouse ${words.map(quoted).join(' ')}${input}`;
    this.#printed.push({ line, code, out, err });
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
  /** Only at full size. */
  full?: boolean;
}

/** One scripted scenario: its output must be the committed expected/<name>.txt. */
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

/** Real agents or servers take long: run by `npm run golden`, and at full size. */
export function longScene(name: string, act: (stage: Stage) => Promise<void>): void {
  scene(name, act, { full: true });
}
