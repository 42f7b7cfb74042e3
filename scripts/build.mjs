// Builds dist/: one quick CommonJS bundle for the command line (it starts 10 ms sooner than ESM), and split ESM
// chunks for everything it loads only when needed, plus the programs that run on their own.
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { thirdPartyNotices } from './licences.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { version, dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
// Native or WebAssembly parts must be loaded from where npm put them.
const external = ['koffi', '@photostructure/sqlite', '@electric-sql/pglite', 'pg'].filter(
  (name) => dependencies[name],
);

/** Behind the smallest possible entry, which answers `--version` alone. */
const COMMAND_LINE = 'main/command-line';

/** Loaded lazily, but from the quick bundle itself: what `agents gateway status` needs. */
const QUICK = new Set(['session/index', 'client/index']);

/** Programs of their own, started by path. */
const PROGRAMS = { gateway: 'src/main/gateway.ts', 'scripted-agent': 'src/scripted/main.ts' };

/** In the quick bundle, `import()` of our own file stays an import at run time, of the chunk built from it. */
function lazyImports(found) {
  return {
    name: 'lazy-imports',
    setup(build) {
      build.onResolve({ filter: /^\.\.?\// }, (request) => {
        if (request.kind !== 'dynamic-import') return undefined;
        const file = path.resolve(request.resolveDir, request.path);
        const name = path.relative(path.join(root, 'src'), file).replace(/\.ts$/, '');
        if (QUICK.has(name)) return undefined;
        found.set(name, file);
        return { path: `./lazy/${name}.js`, external: true };
      });
    },
  };
}

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
    minify: true,
    keepNames: true,
    legalComments: 'none',
    sourcemap: false,
    logLevel: 'warning',
  };
  const lazy = new Map();
  await esbuild.build({
    ...shared,
    entryPoints: { rouse: 'src/main/rouse.ts', 'command-line': `src/${COMMAND_LINE}.ts` },
    format: 'cjs',
    outdir,
    outExtension: { '.js': '.cjs' },
    // Naming every function again at every start costs milliseconds, and nobody reads the names of this bundle.
    keepNames: false,
    plugins: [lazyImports(lazy)],
    external: [...external, './command-line.cjs'],
    // Only reached by code that is itself loaded lazily; kept so that base/ works in both formats.
    define: { ...shared.define, 'import.meta.url': '__filename' },
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
  writeFileSync(path.join(outdir, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices());
  if (!keepDatabase(target, outdir) && isRelease()) await packDatabase(outdir);
  const old = `${target}.old-${process.pid}`;
  if (existsSync(target)) renameSync(target, old);
  renameSync(outdir, target);
  rmSync(old, { recursive: true, force: true });
}

const isRelease = () => process.argv.includes('--release') || process.env.npm_lifecycle_event === 'prepack';

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
