import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { bundle } from '../support/bundle.ts';
import { QUICK, type TestPane } from './test-pane.ts';

/** A typist in a separate process that is killed at a chosen instant. */
export class KilledTypist {
  readonly #program: string;

  private constructor(program: string) {
    this.#program = program;
  }

  static async build(): Promise<KilledTypist> {
    const name = `.rouse-crash-child-${process.pid}-${Math.random().toString(16).slice(2)}.mjs`;
    const outfile = path.resolve(import.meta.dirname, '../../node_modules', name);
    await bundle(path.resolve(import.meta.dirname, 'crash-child.ts'), outfile, { packages: 'external' });
    return new KilledTypist(outfile);
  }

  /** Types for the request r-1; resolves when the process has ended. */
  async killedAt(pane: TestPane, at: string, text: string): Promise<void> {
    const options = {
      manifest: pane.manifest,
      sessionRoot: pane.directory,
      laneLock: path.join(pane.directory, 'run', 'lane.lock'),
      timings: QUICK,
    };
    const asked = JSON.stringify({ ...options, at, text, requestId: 'r-1' });
    const typist = spawn(process.execPath, [this.#program, asked], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    typist.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const [, signal] = (await once(typist, 'exit')) as [number | null, string | null];
    if (signal !== 'SIGKILL' || output !== '') throw new Error(`not killed at ${at}: ${signal} ${output}`);
  }

  close(): void {
    fs.rmSync(this.#program, { force: true });
  }
}
