import { execFile, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as esbuild from 'esbuild';
import { systemClock } from '../../../src/base/index.ts';
import {
  type LaunchOptions,
  launch,
  type ManifestFacts,
  type SessionContext,
} from '../../../src/session/index.ts';

/** The installation that is tested; ROUSE_TEST_ROOT names a copy, for long runs beside a build. */
export const ROOT = process.env['ROUSE_TEST_ROOT'] ?? path.resolve(import.meta.dirname, '../../..');

// biome-ignore lint/suspicious/noExplicitAny: whatever a command prints; each test says what it expects
type Printed = Record<string, any>;

export interface Said {
  code: number;
  stdout: string;
  stderr: string;
  /** Standard output as JSON, for commands run with --print-json. */
  json: Printed;
}

/** A home, a tmux server and a registry of one test alone, and everything that can be done in them. */
export class SessionHouse {
  readonly directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rs-'));
  readonly workdir = path.join(this.directory, 'work');
  readonly socket = path.join(this.directory, 'tmux');
  readonly env: NodeJS.ProcessEnv;
  readonly context: SessionContext;

  constructor(options: { tmuxConfig?: string } = {}) {
    fs.mkdirSync(this.workdir);
    fs.writeFileSync(path.join(this.directory, '.tmux.conf'), options.tmuxConfig ?? '');
    this.env = {
      PATH: process.env['PATH'],
      HOME: this.directory,
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      ROUSE_HOME: path.join(this.directory, 'home'),
      ROUSE_TMUX_SOCKET: this.socket,
    };
    const at = (name: string): string => path.join(this.directory, 'home', name);
    this.context = {
      settings: {
        runtimeDir: at('runtime'),
        mailboxDir: at('mailbox'),
        registryDir: at('registry'),
        tmuxSocket: this.socket,
      },
      env: this.env,
      clock: systemClock,
    };
  }

  /** Launches the scripted agent in this process. */
  async launch(name: string, options: Partial<LaunchOptions> = {}): Promise<ManifestFacts> {
    const report = await launch(this.context, {
      tool: 'scripted',
      agentName: name,
      cwd: this.workdir,
      headless: false,
      args: [],
      mailbox: false,
      ...options,
    });
    if (report.attachError) throw report.attachError;
    return report.facts;
  }

  /** Runs the built command line. */
  rouse(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Said> {
    return new Promise((resolve) => {
      const options = { cwd: this.workdir, env: { ...this.env, ...env }, maxBuffer: 1 << 24 };
      const child = execFile(
        process.execPath,
        [path.join(ROOT, 'dist/rouse.cjs'), ...args],
        options,
        (error, stdout, stderr) => {
          const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
          resolve({ code, stdout, stderr, json: parse(code === 0 ? stdout : stdout || stderr) });
        },
      );
      child.stdin?.end();
    });
  }

  tmux(...args: string[]): string {
    const done = spawnSync('tmux', ['-S', this.socket, ...args], { encoding: 'utf8', env: this.env });
    return done.status === 0 ? done.stdout.trimEnd() : '';
  }

  windows(session: string): string[] {
    return this.tmux('list-windows', '-t', `=${session}:`, '-F', '#{window_index} #{window_name}')
      .split('\n')
      .filter(Boolean);
  }

  /** Processes that belong to this house: by their words, where they work, or the home they were given. */
  processes(): { pid: number; words: string }[] {
    return fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((name) => isRunning(name) && traces(name).some((text) => text.includes(this.directory)))
      .map((name) => ({ pid: Number(name), words: read(name, 'cmdline').replaceAll('\0', ' ').trim() }));
  }

  /** Waits until what is asked for holds; the test's own timeout is the limit. */
  async until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
    for (;;) {
      const seen = await look();
      if (seen) return seen as NonNullable<T>;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Files and directories that anybody else may read or enter. */
  readableByOthers(): string[] {
    const home = path.join(this.directory, 'home');
    if (!fs.existsSync(home)) return [];
    return filesBelow(home).filter((file) => {
      const stat = fs.lstatSync(file, { throwIfNoEntry: false });
      return stat && !stat.isSymbolicLink() && (stat.mode & 0o077) !== 0;
    });
  }

  /** Ends everything of this house, by its own ids; answers with what should not have been there any more. */
  close(): string[] {
    this.tmux('kill-server');
    const left = this.processes();
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {}
    }
    fs.rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
    return left.map(({ words }) => words);
  }
}

function read(pid: string, file: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function isRunning(pid: string): boolean {
  const state = read(pid, 'stat').split(') ').at(-1)?.[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

function traces(pid: string): string[] {
  let cwd = '';
  try {
    cwd = fs.readlinkSync(`/proc/${pid}/cwd`);
  } catch {}
  return [read(pid, 'cmdline'), read(pid, 'environ'), cwd];
}

function parse(text: string): Printed {
  try {
    return JSON.parse(text) as Printed;
  } catch {
    return {};
  }
}

/** The stand-in gateway as a program, with the faults that STAND_IN names. */
export async function buildStandIn(directory: string): Promise<string[]> {
  const file = path.join(directory, 'stand-in-gateway.mjs');
  fs.symlinkSync(
    path.resolve(import.meta.dirname, '../../../node_modules'),
    path.join(directory, 'node_modules'),
  );
  await esbuild.build({
    entryPoints: [path.join(import.meta.dirname, 'stand-in-gateway.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: ['koffi'],
    outfile: file,
    logLevel: 'error',
  });
  return [process.execPath, file];
}

/** Without what links lead to, and what a tool itself writes into the home that a session gave it. */
function filesBelow(directory: string): string[] {
  return fs.readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(directory, entry.name);
    const below = entry.isDirectory() && !file.endsWith('/launch/home') ? filesBelow(file) : [];
    return [file, ...below];
  });
}
