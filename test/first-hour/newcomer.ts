import { execFile, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { freshClone } from '../support/fresh-clone.ts';

export interface Played {
  code: number;
  text: string;
}

/** A daemon that a tool starts for its own use. */
const TOOLS_OWN = /app-server-daemon/;
const LONGEST_MS = 400_000;

/** A person with their own machine: home, npm prefix, PATH, tmux servers, and a fresh clone. */
export class Newcomer {
  readonly place = fs.mkdtempSync(path.join(os.tmpdir(), 'rh-'));
  readonly home = this.#made('home');
  readonly clone = path.join(this.place, 'clone');
  readonly env: NodeJS.ProcessEnv;

  constructor({ tools = [], env = {} }: { tools?: string[]; env?: NodeJS.ProcessEnv } = {}) {
    const prefix = path.join(this.place, 'prefix');
    const system = [path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
    this.env = {
      HOME: this.home,
      PATH: [path.join(prefix, 'bin'), ...tools, ...system].join(path.delimiter),
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      TMUX_TMPDIR: this.#made('tmux'),
      npm_config_prefix: prefix,
      npm_config_update_notifier: 'false',
      ...env,
    };
    freshClone(this.clone);
  }

  #made(name: string): string {
    const directory = path.join(this.place, name);
    fs.mkdirSync(directory);
    return directory;
  }

  /** One line, typed into a shell in the clone. */
  types(line: string): Promise<Played> {
    return new Promise((resolve) => {
      const options = { cwd: this.clone, env: this.env, timeout: LONGEST_MS };
      const child = execFile('/bin/sh', ['-c', line], options, (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0;
        resolve({ code, text: stdout + stderr });
      });
      child.stdin?.end();
    });
  }

  /** The terminal for commands that take over the screen: a tmux server beside that of the agents. */
  terminal(...words: string[]): string {
    const { TMUX_TMPDIR: _, ...env } = this.env;
    const socket = path.join(this.place, 'terminal');
    const done = spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...words], { env, encoding: 'utf8' });
    return done.status === 0 ? done.stdout : '';
  }

  async until<T>(
    what: string,
    look: () => T | false | undefined | Promise<T | false | undefined>,
  ): Promise<T> {
    for (const end = Date.now() + LONGEST_MS; Date.now() < end; ) {
      const found = await look();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error(`waited in vain for ${what}`);
  }

  /** Ends what was left running, and returns what that was. */
  async leaves(): Promise<string[]> {
    this.terminal('kill-server');
    const { text } = await this.types('tmux kill-server');
    const left = await this.#processes();
    for (const [pid] of left) spawnSync('kill', ['-9', pid]);
    fs.rmSync(this.place, { recursive: true, force: true, maxRetries: 5 });
    const ours = left.map(([, command]) => command).filter((command) => !TOOLS_OWN.test(command));
    return [...(text === '' ? ['a tmux server'] : []), ...ours];
  }

  /** What still runs a moment later; a gateway whose session is gone ends by itself. */
  async #processes(): Promise<[string, string][]> {
    const end = Date.now() + 20_000;
    for (;;) {
      const found = fs.readdirSync('/proc').flatMap((pid): [string, string][] => {
        if (!/^\d+$/.test(pid) || pid === String(process.pid)) return [];
        try {
          const mine = fs
            .readFileSync(`/proc/${pid}/environ`, 'utf8')
            .split('\0')
            .includes(`HOME=${this.home}`);
          return mine ? [[pid, fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]] : [];
        } catch {
          return [];
        }
      });
      const waits = found.some(([, command]) => !TOOLS_OWN.test(command));
      if (!waits || Date.now() > end) return found;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
