import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { RouseError } from '../base/index.ts';

/** The RouseError that a call throws. Anything else fails the test. */
export function errorOf(call: () => unknown): RouseError {
  try {
    call();
  } catch (error) {
    if (error instanceof RouseError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Bundles a TypeScript program of the project into one file that every supported Node can run, with our packages beside
 * it.
 */
export async function bundleProgram(source: string, outfile: string): Promise<void> {
  const packages = path.join(path.dirname(outfile), 'node_modules');
  if (!fs.existsSync(packages)) fs.symlinkSync(path.join(root, 'node_modules'), packages);
  await build({
    stdin: { contents: source, loader: 'ts', resolveDir: path.join(root, 'src', 'db') },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['koffi', 'pg', '@electric-sql/pglite', '@photostructure/sqlite'],
    logLevel: 'error',
  });
}

export interface Child {
  process: ChildProcess;
  /** The lines it has printed so far. */
  lines: string[];
  /** Resolves when the condition on the lines holds; rejects if the child ends first. */
  until(condition: (lines: string[]) => boolean): Promise<void>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
}

/** Starts a bundled program. */
export function startChild(program: string, args: string[], env: NodeJS.ProcessEnv = {}): Child {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const checks = new Set<() => void>();
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const check of checks) check();
  });
  const ended: Child['ended'] = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stderr }));
  });
  return {
    process: child,
    lines,
    ended,
    until: (condition) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (condition(lines)) resolve();
        };
        checks.add(check);
        check();
        void ended.then(({ code, signal, stderr }) =>
          reject(new Error(`ended: ${code ?? signal} ${stderr}`)),
        );
      }),
  };
}
