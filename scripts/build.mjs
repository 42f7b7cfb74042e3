// Builds dist/: two quick CommonJS bundles for the command line (quick-bundles.mjs), and split ESM chunks for everything it
// loads only when needed, plus the programs that run on their own.
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { buildPage } from './build-page.mjs';
import { thirdPartyNotices } from './licences.mjs';
import {
  compileBeforehand,
  lazyImports,
  lazyParts,
  lazyZod,
  partsSource,
  QUICK_WORDS,
  wordSource,
  wrap,
} from './quick-bundles.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { version, dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
// Native or WebAssembly parts must be loaded from where npm put them.
const external = ['koffi', '@photostructure/sqlite', '@electric-sql/pglite', 'pg'].filter(
  (name) => dependencies[name],
);

/** Programs of their own, started by path. */
const PROGRAMS = { gateway: 'src/main/gateway.ts' };

/** These load a compiled bundle. */
const QUICK_PROGRAMS = {
  rouse: 'src/main/rouse.ts',
  'quick-load': 'src/main/quick-load.ts',
  'scripted-agent': 'src/main/scripted-agent.ts',
};

/** Built aside and swapped in, so that a program started meanwhile finds one whole build or the other. */
export async function build(target = path.join(root, 'dist')) {
  const outdir = `${target}.next-${process.pid}`;
  const shared = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    external,
    define: { ROUSE_VERSION: JSON.stringify(version) },
    minifyWhitespace: true,
    minifySyntax: true,
    // Short names would have to be put right at run time, each time a function is made: a twentieth of an accept.
    minifyIdentifiers: false,
    legalComments: 'none',
    sourcemap: false,
    logLevel: 'warning',
  };
  const lazy = new Map();
  const quick = {
    ...shared,
    format: 'cjs',
    // Less to read at every start, and nobody reads the names of these bundles.
    minifyIdentifiers: true,
    define: {
      ...shared.define,
      'import.meta.url': 'module.url',
      'import.meta.dirname': '__dirname',
      ROUSE_QUICK_WORDS: JSON.stringify(Object.keys(QUICK_WORDS)),
    },
  };
  await esbuild.build({
    ...quick,
    entryPoints: QUICK_PROGRAMS,
    outdir,
    outExtension: { '.js': '.cjs' },
  });
  await esbuild.build({
    ...quick,
    entryPoints: ['src/main/command-line.ts'],
    outfile: path.join(outdir, 'command-line.cjs'),
    plugins: [lazyImports(lazy), lazyParts],
  });
  for (const [word, inside] of Object.entries(QUICK_WORDS))
    await esbuild.build({
      ...quick,
      stdin: wordSource(word),
      outfile: path.join(outdir, `word-${word}.cjs`),
      plugins: [lazyImports(lazy, inside), lazyParts, lazyZod],
    });
  await esbuild.build({
    ...quick,
    entryPoints: ['src/main/scripted-run.ts'],
    outfile: path.join(outdir, 'scripted.cjs'),
    plugins: [lazyParts],
  });
  // What earlier builds recorded as the command of their sessions.
  writeFileSync(path.join(outdir, 'scripted-agent.js'), "import './scripted-agent.cjs';\n");
  await esbuild.build({
    ...quick,
    stdin: partsSource,
    outfile: path.join(outdir, 'parts.cjs'),
    plugins: [lazyParts, lazyZod],
  });
  await esbuild.build({
    ...shared,
    entryPoints: {
      ...PROGRAMS,
      ...Object.fromEntries([...lazy].map(([name, file]) => [`lazy/${name}`, file])),
    },
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    outdir,
    banner: {
      js: "import{createRequire as rouseCreateRequire}from'node:module';const require=rouseCreateRequire(import.meta.url);",
    },
  });
  await buildPage(path.join(outdir, 'page'), path.join(target, 'page'));
  writeFileSync(path.join(outdir, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices());
  const words = Object.keys(QUICK_WORDS).map((word) => `word-${word}.cjs`);
  for (const name of ['command-line.cjs', 'parts.cjs', 'scripted.cjs', ...words])
    wrap(path.join(outdir, name));
  compileBeforehand(outdir);
  if (!keepDatabase(target, outdir) && isRelease()) await packDatabase(outdir);
  if (!isPacked()) keepChunks(path.join(target, 'chunks'), path.join(outdir, 'chunks'));
  const old = `${target}.old-${process.pid}`;
  if (existsSync(target)) renameSync(target, old);
  renameSync(outdir, target);
  rmSync(old, { recursive: true, force: true });
}

const isRelease = () => process.argv.includes('--release');
const isPacked = () => ['pack', 'publish'].includes(process.env.npm_command);
const KEPT_MS = 14 * 86_400_000;

/** What gateways of an earlier build load only when they need it stays for them; nobody is of an earlier build for so long. */
function keepChunks(from, to) {
  if (!existsSync(from)) return;
  for (const name of readdirSync(from)) {
    const [before, after] = [path.join(from, name), path.join(to, name)];
    const { atime, mtime } = statSync(before);
    if (existsSync(after) || Date.now() - mtime.getTime() > KEPT_MS) continue;
    copyFileSync(before, after);
    utimesSync(after, atime, mtime);
  }
}

/** Packing takes seconds and depends on PGlite alone: what the last build had is kept. */
function keepDatabase(target, outdir) {
  const name = `pglite-${dependencies['@electric-sql/pglite']}.gz`;
  if (!existsSync(path.join(target, name))) return false;
  copyFileSync(path.join(target, name), path.join(outdir, name));
  return true;
}

/** A release carries an initialised embedded database: the first start then unpacks it instead of making one. */
async function packDatabase(outdir) {
  const { loadSource } = await import('./load-source.mjs');
  const { packEmbedded } = await loadSource('src/db/embedded/directory.ts');
  await packEmbedded(outdir);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
