// Builds dist/: the programs as ESM with shared chunks (`import()` loads a chunk when it is needed), the two small CommonJS
// files that start them, and the page.
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
// Native and WebAssembly parts must be loaded from where npm installed them.
const external = ['koffi', '@photostructure/sqlite', '@electric-sql/pglite', 'pg'].filter(
  (name) => dependencies[name],
);

/** The programs, and the modules that a starter loads. */
const PROGRAMS = {
  gateway: 'src/main/gateway.ts',
  'command-line': 'src/main/command-line.ts',
  scripted: 'src/main/scripted-run.ts',
};

/** CommonJS, so that an old Node can still print why it is refused. */
const STARTERS = {
  rouse: 'src/main/rouse.ts',
  'scripted-agent': 'src/main/scripted-agent.ts',
};

/** Builds in another directory and swaps it in, so a program that starts during a build finds one complete build. */
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
    // With short names, esbuild sets each function's name at run time, which costs a twentieth of an accept.
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
  // Earlier builds recorded this file as the command of their sessions.
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

/** Keeps the lazy chunks of earlier builds for a while, because their gateways may still run and load them. */
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

/** Keeps the packed database of the last build: packing takes seconds and depends only on PGlite. */
function keepDatabase(target, outdir) {
  const name = `pglite-${dependencies['@electric-sql/pglite']}.backup.br`;
  if (!existsSync(path.join(target, name))) return false;
  copyFileSync(path.join(target, name), path.join(outdir, name));
  return true;
}

/** A release contains an initialised embedded database, which the first start unpacks instead of creating one. */
async function packDatabase(outdir) {
  const { loadSource } = await import('./load-source.mjs');
  const { packEmbedded } = await loadSource('src/db/embedded/directory.ts');
  await packEmbedded(outdir);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
