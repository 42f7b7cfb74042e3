// Builds dist/: the programs as ESM with shared chunks (what is imported by `import()` is loaded when it is needed), the two
// small CommonJS files that start them, and the page.
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
import { billOfMaterials } from './sbom.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { version, dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
// Native or WebAssembly parts must be loaded from where npm put them.
const external = ['koffi', '@photostructure/sqlite', '@electric-sql/pglite', 'pg'].filter(
  (name) => dependencies[name],
);

/** Programs, and what a starter loads. */
const PROGRAMS = {
  gateway: 'src/main/gateway.ts',
  'command-line': 'src/main/command-line.ts',
  scripted: 'src/main/scripted-run.ts',
};

/** CommonJS, so that an old Node can still read why it is refused. */
const STARTERS = {
  rouse: 'src/main/rouse.ts',
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
  await esbuild.build({
    ...shared,
    format: 'cjs',
    entryPoints: STARTERS,
    outdir,
    outExtension: { '.js': '.cjs' },
  });
  // What earlier builds recorded as the command of their sessions.
  writeFileSync(path.join(outdir, 'scripted-agent.js'), "import './scripted-agent.cjs';\n");
  await esbuild.build({
    ...shared,
    entryPoints: PROGRAMS,
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
  if (isRelease()) writeFileSync(path.join(outdir, 'sbom.cdx.json'), billOfMaterials());
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
