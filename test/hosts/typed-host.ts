import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

const PROGRAM = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');

/** A shell on a host where a person types block after block: own home, own tmux server, own network. */
export class TypedHost {
  readonly home: string;
  #shell: ChildProcess;
  #socket: string;
  #said = '';
  #hear: (() => void) | undefined;
  #blocks = 0;

  /** `enter`: the prefix of a command on that host. */
  constructor(name: string, enter: string[]) {
    this.home = fs.mkdtempSync(path.join(os.tmpdir(), `rt-${name}-`));
    this.#socket = path.join(this.home, 'tmux.sock');
    const bin = path.join(this.home, 'bin');
    fs.mkdirSync(bin);
    fs.writeFileSync(path.join(bin, 'rouse'), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, {
      mode: 0o755,
    });
    const [command = 'bash', ...words] = [...enter, 'bash', '--noprofile', '--norc'];
    this.#shell = spawn(command, words, {
      cwd: this.home,
      env: {
        ...Object.fromEntries(
          Object.entries(process.env).filter(([key]) => !/^(TMUX|HOUMAO_|ROUSE_|DATABASE_URL)/.test(key)),
        ),
        HOME: this.home,
        ROUSE_HOME: path.join(this.home, '.rouse'),
        ROUSE_TMUX_SOCKET: this.#socket,
        PATH: `${bin}:${process.env['PATH']}`,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const hear = (part: Buffer): void => {
      this.#said += part;
      this.#hear?.();
    };
    this.#shell.stdout!.on('data', hear);
    this.#shell.stderr!.on('data', hear);
    this.#shell.once('exit', () => this.#hear?.());
  }

  /** Returns the output of the block; fails at the first line that fails. */
  async type(block: string): Promise<string> {
    const n = ++this.#blocks;
    const file = path.join(this.home, `block-${n}.sh`);
    fs.writeFileSync(file, `set -e\n${block}\nset +e\n`);
    const end = `end of block ${n}`;
    this.#said = '';
    this.#shell.stdin!.write(`source ${file} < /dev/null; echo "${end}"\n`);
    while (!this.#said.includes(end)) {
      if (this.#shell.exitCode !== null) throw new Error(`the block failed: ${block}\n${this.#said}`);
      await new Promise<void>((resolve) => {
        this.#hear = resolve;
      });
    }
    return this.#said;
  }

  close(): void {
    this.#shell.kill();
    try {
      execFileSync('tmux', ['-S', this.#socket, 'kill-server'], { stdio: 'ignore' });
    } catch {
      // It ended with its last session.
    }
    fs.rmSync(this.home, { recursive: true, force: true });
  }
}
