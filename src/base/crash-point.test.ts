import { spawnSync } from 'node:child_process';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';

const SOURCE = path.join(import.meta.dirname, 'crash-point.ts');

/** Runs a few lines that use the real module, compiled by esbuild, in a process of its own. */
function run(lines: string): { signal: NodeJS.Signals | null; stdout: string } {
  const bundle = spawnSync(
    path.resolve('node_modules/.bin/esbuild'),
    ['--bundle', '--platform=node', '--format=cjs', '--log-level=error'],
    {
      input: `import { armCrashPoint, crashPoint } from ${JSON.stringify(SOURCE)};\n${lines}`,
      encoding: 'utf8',
    },
  );
  const done = spawnSync(process.execPath, ['-e', bundle.stdout], { encoding: 'utf8' });
  return { signal: done.signal, stdout: done.stdout };
}

describe('a crash point', () => {
  it('a crash point kills the process at the named instant, at the n-th time', () => {
    const lines =
      "armCrashPoint('step@2'); for (const i of [1, 2, 3]) { console.log(i); crashPoint('step'); }";
    expect(run(lines)).toEqual({ signal: 'SIGKILL', stdout: '1\n2\n' });
  });

  it('a crash point does nothing when not armed or armed for another name', () => {
    const lines = "crashPoint('step'); armCrashPoint('other'); crashPoint('step'); console.log('alive');";
    expect(run(lines)).toEqual({ signal: null, stdout: 'alive\n' });
  });
});
