// The bundles of the command line that must start fast: CommonJS, with what V8 made of them kept beside.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const scripts = path.dirname(fileURLToPath(import.meta.url));
const source = path.join(scripts, '..', 'src');

/** Loaded when a command needs it, but from the bundle of the command line itself: what `agents gateway status` needs. */
const SESSION = ['session/index', 'client/index'];

/** Loaded when a command needs it, from the second compiled bundle: what mail needs. */
const PARTS = ['gateway/offline-mail', 'mail/index', 'mail/transports'];

/** What is typed most has a bundle of its own (src/cli/quick/words/), with the parts it needs inside. */
export const QUICK_WORDS = {
  ls: SESSION,
  status: [...SESSION, 'session/target/'],
  agents: [...SESSION, 'session/target/'],
  mail: ['gateway/offline-mail', 'mail/'],
  mailfile: ['mail/'],
};

export const wordSource = (word) => ({
  resolveDir: source,
  contents: `
    import { word } from './cli/quick/words/${word}.ts';
    import { runQuickWord } from './main/quick-word.ts';
    export const run = (argv) => runQuickWord(word, argv);`,
});

/** The second bundle: each part by its name. */
export const partsSource = {
  resolveDir: source,
  contents: `export const parts = { ${PARTS.map((name) => `'${name}': () => import('./${name}.ts')`).join(', ')} };`,
};

/**
 * `import()` of our own file becomes one of a part of the second bundle, or stays an import at run time, of the chunk that is
 * built from it; these are added to `found`.
 */
export function lazyImports(found, inside = SESSION) {
  return {
    name: 'lazy-imports',
    setup(build) {
      build.onResolve({ filter: /^\.\.?\// }, (request) => {
        if (request.kind !== 'dynamic-import') return undefined;
        const file = path.resolve(request.resolveDir, request.path);
        const name = path.relative(source, file).replace(/\.ts$/, '');
        if (inside.some((each) => (each.endsWith('/') ? name.startsWith(each) : name === each)))
          return undefined;
        if (PARTS.includes(name)) return { path: `./parts/${name}`, external: true };
        found.set(name, file);
        return { path: `./lazy/${name}.js`, external: true };
      });
    },
  };
}

/** Parts of Node, and YAML, are loaded when the first of their functions is called: `node:crypto` alone takes 4 ms. */
export const lazyParts = {
  name: 'lazy-parts',
  setup(build) {
    build.onResolve({ filter: /^(node:.*|yaml)$/ }, ({ path, namespace }) =>
      namespace === 'lazy-part' ? undefined : { path, namespace: 'lazy-part' },
    );
    // What esbuild makes of `import * as x` inherits from its module, so that nothing is asked of it beforehand.
    build.onLoad({ filter: /./, namespace: 'lazy-part' }, ({ path }) => ({
      resolveDir: scripts,
      contents: `let real;
      const lazy = new Proxy({}, {
        get: (_, name) => {
          real ??= require('${path}');
          return name === 'default' ? real : real[name];
        },
        getPrototypeOf: () => lazy,
        ownKeys: () => [],
      });
      module.exports = lazy;`,
      loader: 'js',
    }));
  },
};

/** See lazy-zod.cjs. */
export const lazyZod = {
  name: 'lazy-zod',
  setup(build) {
    const stand = path.join(scripts, 'lazy-zod.cjs');
    build.onResolve({ filter: /^zod$/ }, ({ importer }) =>
      importer === stand ? undefined : { path: stand },
    );
    // Sentences in forty languages that nobody asks for.
    build.onLoad({ filter: /zod\/v4\/locales\/index\.cjs$/ }, () => ({ contents: '' }));
  },
};

/** Code that V8 compiled beforehand has no import() of its own; quick-load.ts lends it one, and everything else it names. */
export function wrap(file) {
  const code = readFileSync(file, 'utf8')
    .replace(/\bimport\("\.\/parts\/([^"]+)"\)/g, 'compiledPart("$1")')
    .replace(/\bimport\(/g, 'lazyPart(');
  writeFileSync(
    file,
    `(function (exports, require, module, __filename, __dirname, lazyPart, compiledPart) {${code}\n})`,
  );
}

/** What V8 makes of both bundles while they do what must be quick. Without it everything works, later. */
export function compileBeforehand(outdir) {
  const home = path.join(outdir, 'nobody');
  const mailbox = ['--address', 'ana@houmao.localhost'];
  const message = path.join(home, 'message.md');
  mkdirSync(home);
  writeFileSync(message, '---\nfrom: ana\nto: ben\nre: first\n---\ntext\n');
  const lines = [
    ['--help'],
    ['ls'],
    ['agents', 'list'],
    ['status', 'nobody'],
    ['mailbox', 'init'],
    ['mailbox', 'register', ...mailbox],
    ['mail', 'send', ...mailbox, '--to', mailbox[1], '--subject', 'first', '--body-content', 'text'],
    ['mail', 'list', ...mailbox],
    ['mail', 'list', ...mailbox, '--json'],
    ['mailfile', 'prepend', '--mailbox', path.join(home, 'inbox.md'), '--message-file', message],
  ];
  const turn = ['--print', '--turn', '0', '--transcript', path.join(home, 'transcript.jsonl'), 'text'];
  // Each bundle by itself: what only others use must not be read at its start.
  const words = Object.keys(QUICK_WORDS).map((word) => [`word-${word}`, lines]);
  for (const [name, work] of [['command-line', lines], ['scripted', [turn]], ...words]) {
    const program = `
      const { bundle, save } = require(${JSON.stringify(path.join(outdir, 'quick-load.cjs'))}).compiling(${JSON.stringify(outdir)});
      const { run, runCommandLine } = bundle('${name}');
      process.on('exit', save);
      (async () => {
        for (const line of ${JSON.stringify(work)}) await (run ?? runCommandLine)(line);
      })();`;
    spawnSync(process.execPath, ['-e', program], {
      stdio: 'ignore',
      timeout: 60_000,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        ROUSE_HOME: home,
        ROUSE_TMUX_SOCKET: path.join(home, 'tmux'),
      },
    });
  }
  rmSync(home, { recursive: true, force: true });
}
