// `npm run bench -- <name>`: bundles bench/<name>.ts and runs it. Benchmarks print ratios measured side by side.
// `--beside COMMIT` compares with an older commit: some benchmarks do it within, for the others both trees take turns.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureBuild, ensureDependencies, root } from './setup.mjs';

/** A variable in the environment of everything that a run starts. */
const MARK = 'ROUSE_BENCH_RUN';
/** Benchmarks that take `--beside` themselves. */
const BESIDE_WITHIN = ['host', 'http', 'mail-flatfile', 'sweep'];

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
const { loadSource } = await import('./load-source.mjs');
const besideAt = rest.indexOf('--beside');
if (besideAt >= 0 && !BESIDE_WITHIN.includes(name)) {
  const { runBeside } = await import('./bench-beside.mjs');
  const { olderTree } = await loadSource('bench/support/older-tree.ts');
  const [, commit] = rest.splice(besideAt, 2);
  const turnsAt = rest.indexOf('--turns');
  const turns = turnsAt < 0 ? 3 : Number(rest.splice(turnsAt, 2)[1]);
  process.env.ROUSE_ROOT = root;
  const older = olderTree(commit);
  try {
    await runBeside({ name, args: rest, turns, older: older.directory });
  } finally {
    older.remove();
  }
  process.exit(0);
}
const { environmentOf, runningPids } = await loadSource('src/base/system/index.ts');
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
  const env = {
    ...process.env,
    ROUSE_ROOT: root,
    ROUSE_TEST_ROOT: root,
    TMPDIR: process.env.TMPDIR ?? tmpdir(),
    [MARK]: directory,
  };
  const bench = spawn(process.execPath, [outfile, ...rest], { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => bench.kill(signal));
  const [code] = await once(bench, 'exit');
  process.exitCode = code ?? 1;
} finally {
  while (endWhatIsLeft() > 0) await new Promise((resolve) => setTimeout(resolve, 100));
  rmSync(directory, { recursive: true, force: true });
}

/** Ends the marked agents, gateways and terminal servers that an interrupted benchmark left. Returns how many. */
function endWhatIsLeft() {
  const left = runningPids().filter(isMarked);
  for (const pid of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
  return left.length;
}

function isMarked(pid) {
  try {
    return environmentOf(pid).includes(`${MARK}=${directory}`);
  } catch {
    return false;
  }
}
