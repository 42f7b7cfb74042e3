import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { FlatFile } from '../../src/mail/flatfile/index.ts';
import { bundle } from '../support/bundle.ts';
import type { Order } from './worker.ts';

export const FULL = process.env['ROUSE_PROOF'] === 'full';
const root = path.resolve(import.meta.dirname, '../..');

export interface Bench {
  /** The current test's directory; fresh() makes the next one. */
  directory: string;
  fresh(): void;
  /** `<directory>/<name>/.agent/inbox.md`, its directory made. */
  inbox(name?: string): string;
  /** Starts a worker process; `say` collects its lines. */
  start(order: Order, env?: NodeJS.ProcessEnv, nodeOptions?: string[]): Running;
  /** The same, started by a line of shell that sets limits. */
  startLimited(order: Order, shell: string): Running;
  /** The same as another user. */
  startAs(uid: number, order: Order): Running;
  end(): void;
}

export interface Running {
  child: ChildProcess;
  done: Promise<{ code: number | null; signal: NodeJS.Signals | null; lines: unknown[]; stderr: string }>;
}

/** A separate directory, and the worker program, bundled where it finds the project's dependencies. */
export async function setUp(): Promise<Bench> {
  const all = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-flatfile-'));
  const built = fs.mkdtempSync(path.join(root, 'node_modules', '.flatfile-'));
  fs.chmodSync(built, 0o755);
  const worker = path.join(built, 'worker.mjs');
  await bundle(path.join(import.meta.dirname, 'worker.ts'), worker, { packages: 'external' });
  const children = new Set<ChildProcess>();
  const run = (program: string, args: string[], options: SpawnOptions): Running => {
    const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    children.add(child);
    return { child, done: finished(child).finally(() => children.delete(child)) };
  };
  const bench: Bench = {
    directory: all,
    fresh() {
      bench.directory = fs.mkdtempSync(path.join(all, 'test-'));
    },
    inbox(name = 'team') {
      const agent = path.join(bench.directory, name, '.agent');
      fs.mkdirSync(agent, { recursive: true });
      return path.join(agent, 'inbox.md');
    },
    start(order, env = {}, nodeOptions = []) {
      return run(process.execPath, [...nodeOptions, worker, JSON.stringify(order)], {
        env: { ...process.env, ...env },
      });
    },
    startLimited(order, shell) {
      const line = `${shell}; exec "$0" "$@"`;
      return run('bash', ['-c', line, process.execPath, worker, JSON.stringify(order)], {});
    },
    startAs(uid, order) {
      return run(process.execPath, [worker, JSON.stringify(order)], { uid, gid: uid });
    },
    end() {
      for (const child of children) child.kill('SIGKILL');
      fs.rmSync(all, { recursive: true, force: true });
      fs.rmSync(built, { recursive: true, force: true });
    },
  };
  return bench;
}

function finished(child: ChildProcess): Running['done'] {
  let out = '';
  let stderr = '';
  child.stdout?.on('data', (data: Buffer) => {
    out += data.toString();
  });
  child.stderr?.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const lines = out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as unknown);
      resolve({ code, signal, lines, stderr });
    });
  });
}

/** Ids of a mailbox, newest first. */
export function idsIn(mailbox: string): string[] {
  return new FlatFile(mailbox).list().entries.map(({ ref }) => ref);
}
