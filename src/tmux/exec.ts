import { spawn } from 'node:child_process';
import { errnoOf, messageOf, unavailable } from '../base/index.ts';
import { noAnswer, readProblem, tmuxError } from './problem.ts';
import type { Commands, Runner, RunOptions } from './runner.ts';
import { argvSequence, commandSequence } from './words.ts';

export interface ServerAddress {
  /** `-L`: a name in tmux's own socket directory. */
  socketName?: string;
  /** `-S`: a path. */
  socketPath?: string;
}

export interface ExecOptions extends ServerAddress {
  /** Default `tmux`. */
  binary?: string;
  /** `-f`: only for our own servers; a person's server keeps their configuration. */
  configFile?: string;
  /** The environment of the client, which a server that it starts inherits. Default: that of this process. */
  env?: NodeJS.ProcessEnv;
  /** Time limit for a command; a stopped server would otherwise block for ever. Default 10 s. */
  timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const INSTALL_HINT =
  'Install tmux 3.2 or newer: "apt install tmux", "dnf install tmux", "brew install tmux" or "apk add tmux".';

/** Runs the tmux binary once per call: about 4 ms. Never through a shell. */
export class Exec implements Runner {
  readonly options: ExecOptions;

  constructor(options: ExecOptions = {}) {
    if (options.socketName !== undefined && options.socketPath !== undefined) {
      throw tmuxError('invalid', 'failed', 'use a tmux socket name or a tmux socket path, not both');
    }
    this.options = options;
  }

  get binary(): string {
    return this.options.binary ?? 'tmux';
  }

  /** The arguments before any command. Without `-u`, tabs and non-ASCII text come back as `_`. */
  get serverArgs(): string[] {
    const { socketName, socketPath, configFile } = this.options;
    return [
      '-u',
      ...(socketName === undefined ? [] : ['-L', socketName]),
      ...(socketPath === undefined ? [] : ['-S', socketPath]),
      ...(configFile === undefined ? [] : ['-f', configFile]),
    ];
  }

  /** Without the caller's own TMUX: tmux would take that as the target and refuse to nest. */
  get env(): NodeJS.ProcessEnv {
    const { TMUX: _outer, TMUX_PANE: _pane, ...env } = this.options.env ?? process.env;
    return env;
  }

  run(commands: Commands, options: RunOptions = {}): Promise<string> {
    const label = commands[0]?.[0] ?? '';
    if (!options.secret) return this.spawn([...this.serverArgs, ...argvSequence(commands)], label, options);
    const args = [...this.serverArgs, 'start-server', ';', 'source-file', '-'];
    return this.spawn(args, label, { ...options, input: `${commandSequence(commands)}\n` });
  }

  spawn(args: readonly string[], label: string, options: RunOptions): Promise<string> {
    const { input, signal } = options;
    const timeoutMs = options.timeoutMs ?? this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      // The working directory of this process may be gone; that must not look like a missing tmux.
      const child = spawn(this.binary, args, { cwd: '/', env: this.env, stdio: ['pipe', 'pipe', 'pipe'] });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      // Does not wait for the child's `close`: a stopped server keeps the pipes of its client open.
      const giveUp = (reason: unknown): void => {
        child.kill('SIGKILL');
        for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
        reject(reason);
      };
      const late = (): void => giveUp(noAnswer(label, timeoutMs));
      const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(late, timeoutMs);
      const abort = (): void => giveUp(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
      child.stdin.on('error', () => {}); // tmux may end before it has read everything; its exit code shows why
      child.stdin.end(input);
      child.on('error', (error) => {
        settle();
        reject(notStarted(this.binary, error));
      });
      child.on('close', (status) => {
        settle();
        if (status !== 0) return reject(readProblem(label, Buffer.concat(err).toString()));
        resolve(Buffer.concat(out).toString().replace(/\n$/, ''));
      });
    });
  }
}

export function notStarted(binary: string, error: Error): Error {
  if (errnoOf(error) === 'ENOENT') {
    return tmuxError(
      'unavailable',
      'not_installed',
      `the program "${binary}" is not installed`,
      INSTALL_HINT,
    );
  }
  return unavailable(`could not start "${binary}": ${messageOf(error)}`, {
    cause: error,
    facts: { tmux: 'failed' },
  });
}

export function notInstalled(binary: string): Error {
  return tmuxError('unavailable', 'not_installed', `the program "${binary}" is not installed`, INSTALL_HINT);
}
