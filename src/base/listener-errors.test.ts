import { execFileSync } from 'node:child_process';
import * as path from 'node:path';
import { expect, it } from 'vitest';

/** In a process of its own: what is heard is heard by the whole program, and an uncaught error would end this one. */
const PROGRAM = `
  import { Emitter, handleListenerErrors, systemClock } from './index.ts';
  handleListenerErrors((error) => console.log('heard', error.message));
  const emitter = new Emitter();
  emitter.on(() => { throw new Error('from a listener'); });
  emitter.on(() => console.log('the next listener is called'));
  emitter.emit();
  systemClock.after(1, () => { throw new Error('from a timer'); });
  systemClock.after(5, () => console.log('the next timer is called'));
`;

it('a long-running program receives the errors of its listeners and timers, and goes on', async () => {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    stdin: { contents: PROGRAM, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['koffi'],
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(process.cwd() + '/');`,
    },
    write: false,
  });
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', outputFiles[0]!.text], {
    encoding: 'utf8',
    cwd: path.resolve(import.meta.dirname, '../..'),
  });
  expect(said.trim().split('\n')).toEqual([
    'heard from a listener',
    'the next listener is called',
    'heard from a timer',
    'the next timer is called',
  ]);
});
