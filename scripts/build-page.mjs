// Builds the page: src/page/ → dist/page/, hashed files and one index.html. esbuild builds the scripts; Tailwind builds the
// style sheet from the class names in the sources.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const source = path.join(root, 'src', 'page');

/** A digest of the page's sources: the same digest means the same page. */
function digestOfSources() {
  const hash = createHash('sha256');
  const domain = path.join(root, 'src', 'domain');
  const files = [source, path.join(domain, 'words'), path.join(domain, 'settings')]
    .flatMap((each) => readdirSync(each, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
  const own = [path.join(root, 'package-lock.json'), fileURLToPath(import.meta.url)];
  for (const file of [...files.sort(), ...own])
    hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest('hex');
}

/** Builds into `target`, or copies the page of the last build if its sources are the same. */
export async function buildPage(target, last) {
  const digest = digestOfSources();
  const stamp = path.join(last, '.made-from');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) {
    cpSync(last, target, { recursive: true });
    return;
  }
  mkdirSync(target, { recursive: true });
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { page: 'src/page/main.tsx', theme: 'src/page/theme.ts' },
    bundle: true,
    format: 'esm',
    splitting: true,
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    minify: true,
    legalComments: 'none',
    metafile: true,
    outdir: target,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    assetNames: 'assets/[name]-[hash]',
    loader: { '.woff2': 'file' },
    publicPath: '/ui',
    logLevel: 'warning',
    plugins: [tailwind()],
  });
  await buildWorker(target);
  writeFileSync(path.join(target, 'index.html'), indexOf(metafile, target, installable(target)));
  compressAssets(path.join(target, 'assets'));
  writeFileSync(path.join(target, '.made-from'), digest);
}

/** Text is stored compressed beside itself, so that the server never compresses anything: a response of its own may hold secrets. */
function compressAssets(directory) {
  for (const name of readdirSync(directory).filter((each) => /\.(js|css|svg)$/.test(each))) {
    const bytes = readFileSync(path.join(directory, name));
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(path.join(directory, `${name}.br`), brotliCompressSync(bytes, { params }));
    writeFileSync(path.join(directory, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
}

/** One file at the root of the page, with a name that stays. */
const buildWorker = (target) =>
  esbuild.build({
    absWorkingDir: root,
    entryPoints: ['src/page/worker/service-worker.ts'],
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    minify: true,
    legalComments: 'none',
    outfile: path.join(target, 'service-worker.js'),
    logLevel: 'warning',
  });

/** What makes the page an app that can be installed: the manifest and its icons. Returns their lines for the document. */
function installable(target) {
  const app = path.join(source, 'app');
  const place = (name, bytes) => {
    const { name: stem, ext } = path.parse(name);
    const hashed = `${stem}-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}${ext}`;
    writeFileSync(path.join(target, 'assets', hashed), bytes);
    return `/ui/assets/${hashed}`;
  };
  const icons = readdirSync(app).filter((name) => name.endsWith('.png'));
  const at = Object.fromEntries(icons.map((name) => [name, place(name, readFileSync(path.join(app, name)))]));
  const manifest = JSON.parse(readFileSync(path.join(app, 'manifest.webmanifest'), 'utf8'));
  manifest.icons = manifest.icons.map((icon) => ({ ...icon, src: at[icon.src] }));
  return [
    `<link rel="manifest" href="${place('manifest.webmanifest', JSON.stringify(manifest))}">`,
    `<link rel="apple-touch-icon" href="${at['icon-180.png']}">`,
  ];
}

function tailwind() {
  return {
    name: 'tailwind',
    setup(build) {
      build.onLoad({ filter: /page\.css$/ }, async ({ path: file }) => {
        const { compile } = await import('@tailwindcss/node');
        const { Scanner } = await import('@tailwindcss/oxide');
        const base = path.dirname(file);
        const compiler = await compile(readFileSync(file, 'utf8'), { base, onDependency() {} });
        const found = new Scanner({ sources: [{ base, pattern: '**/*.tsx', negated: false }] }).scan();
        return { contents: compiler.build(found), loader: 'css', resolveDir: base };
      });
    },
  };
}

/** The page loads its parts by their hashed names; those of the first view are preloaded. */
function indexOf({ outputs }, target, more) {
  const address = (file) => `/ui/${path.relative(target, path.join(root, file)).split(path.sep).join('/')}`;
  const made = (from) =>
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === `src/page/${from}`);
  const [entry, { cssBundle, imports }] = made('main.tsx');
  const font = Object.keys(outputs).find((file) => file.endsWith('.woff2'));
  const head = [
    `<script src="${address(made('theme.ts')[0])}"></script>`,
    `<link rel="stylesheet" href="${address(cssBundle)}">`,
    font && `<link rel="preload" href="${address(font)}" as="font" type="font/woff2" crossorigin>`,
    ...imports
      .filter(({ kind }) => kind === 'import-statement')
      .map(({ path: file }) => `<link rel="modulepreload" href="${address(file)}">`),
    `<script type="module" src="${address(entry)}"></script>`,
    ...more,
  ].filter(Boolean);
  return readFileSync(path.join(source, 'index.html'), 'utf8').replace('<!-- parts -->', head.join('\n    '));
}
