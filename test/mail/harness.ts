import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Mailbox } from '../../src/mail/index.ts';
import type { Job, JobReport } from './child-jobs.ts';

/** A store for the proofs of this folder. `module` runs in child processes and here. */
export interface StoreUnderTest {
  name: string;
  /** A TypeScript file that exports `openMailbox: OpenMailbox`. It is bundled into the child processes. */
  module: string;
  /** Makes a store in an empty directory with one mailbox per name; its result is passed to openMailbox. */
  prepare(directory: string, names: string[]): Promise<unknown>;
  openMailbox: OpenMailbox;
  /** Carries sent mail to its readers, for stores that need a carrier. */
  settle?(place: unknown): Promise<void>;
}

export type OpenMailbox = (place: unknown, name: string) => Promise<Mailbox>;

export function addressOf(name: string): string {
  return `${name}@houmao.localhost`;
}

export function temporaryDirectory(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-mail-'));
}

/** The size of a proof: full with ROUSE_PROOF=full, else the short one of `npm test`. */
export function proofSize<T>(sizes: { short: T; full: T }): T {
  return process.env['ROUSE_PROOF'] === 'full' ? sizes.full : sizes.short;
}

const HERE = path.dirname(fileURLToPath(import.meta.url));
const bundles = new Map<string, Promise<string>>();

/** One script for every job on this store. Native modules stay outside the bundle and are found from its location. */
export function bundleChild(module: string): Promise<string> {
  const made = bundles.get(module) ?? makeBundle(module);
  bundles.set(module, made);
  return made;
}

async function makeBundle(module: string): Promise<string> {
  const directory = path.join(HERE, '..', '..', 'node_modules', '.cache', 'rouse-test');
  fs.mkdirSync(directory, { recursive: true });
  const name = createHash('sha256').update(module).digest('hex').slice(0, 12);
  const outfile = path.join(directory, `mail-child-${name}-${process.pid}.mjs`);
  await build({
    stdin: {
      contents: `import { openMailbox } from ${JSON.stringify(module)};
import { serveJobs } from ${JSON.stringify(path.join(HERE, 'child-jobs.ts'))};
serveJobs(openMailbox);`,
      resolveDir: HERE,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['koffi', '@photostructure/sqlite'],
    banner: {
      js: "import { createRequire as __r } from 'node:module'; const require = __r(import.meta.url);",
    },
    logLevel: 'error',
  });
  process.once('exit', () => fs.rmSync(outfile, { force: true }));
  return outfile;
}

export interface Child {
  process: ChildProcess;
  /** Resolves when the child opened its mailbox. */
  ready: Promise<void>;
  /** Orders it to begin (writers) or to end (readers). */
  say(word: 'go' | 'stop'): void;
  /** Its report, or how it ended without one. */
  done: Promise<{ report: JobReport | undefined; signal: NodeJS.Signals | null; code: number | null }>;
}

export async function startChild(store: StoreUnderTest, job: Job): Promise<Child> {
  const script = await bundleChild(store.module);
  const child = fork(script, [JSON.stringify(job)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  let report: JobReport | undefined;
  let markReady: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    markReady = resolve;
  });
  child.on('message', (message: { ready?: true; report?: JobReport }) => {
    if (message.ready) markReady();
    if (message.report) report = message.report;
  });
  const done = new Promise<Awaited<Child['done']>>((resolve) => {
    child.once('close', (code, signal) => {
      markReady();
      resolve({ report, signal, code });
    });
  });
  return { process: child, ready, done, say: (word) => child.connected && child.send(word) };
}

/** Runs one job to its end. */
export async function runChild(store: StoreUnderTest, job: Job): ReturnType<typeof finish> {
  return finish(await startChild(store, job));
}

async function finish(child: Child): Promise<Awaited<Child['done']>> {
  await child.ready;
  child.say('go');
  return child.done;
}
