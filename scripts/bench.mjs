// `npm run bench -- <name>`: bundles bench/<name>.ts and runs it. Benchmarks print ratios measured side by side.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureBuild, ensureDependencies, root, run } from './setup.mjs';

const names = readdirSync(path.join(root, 'bench'))
  .filter((f) => f.endsWith('.ts'))
  .map((f) => f.slice(0, -3));
const [name, ...rest] = process.argv.slice(2);
if (!name || !existsSync(path.join(root, 'bench', `${name}.ts`))) {
  console.error(`usage: npm run bench -- <${names.join('|')}>`);
  process.exit(2);
}
ensureDependencies();
ensureBuild();
const esbuild = await import('esbuild');
// Inside the project, so that the bundle finds node_modules.
const directory = mkdtempSync(path.join(root, 'node_modules', '.bench-'));
try {
  const outfile = path.join(directory, `${name}.mjs`);
  await esbuild.build({
    stdin: {
      contents: `import { run } from './${name}.ts'; await run(console.log, process.argv.slice(2));`,
      resolveDir: path.join(root, 'bench'),
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    outfile,
    packages: 'external',
    logLevel: 'warning',
  });
  run(process.execPath, [outfile, ...rest], {
    env: { ...process.env, ROUSE_ROOT: root, ROUSE_TEST_ROOT: root, TMPDIR: process.env.TMPDIR ?? tmpdir() },
  });
} finally {
  rmSync(directory, { recursive: true, force: true });
}
