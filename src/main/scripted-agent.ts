/** The scripted agent as a program of its own. Built beside this file; esbuild must not look into it. */
const PROGRAM: string = './scripted.js';

void (import(PROGRAM) as Promise<typeof import('./scripted-run.ts')>).then(({ run }) =>
  run(process.argv.slice(2)),
);
