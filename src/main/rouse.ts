import { useCompileCache } from './compile-cache.ts';

/** The program behind `rouse` and `houmao-mgr`. It prints its version by itself, and loads the rest only when needed. */
declare const ROUSE_VERSION: string;

// The launcher moves this aside because Node 20 reads it at every start; children must see it as it was.
if (process.env['ROUSE_SAVED_EXTRA_CA_CERTS']) {
  process.env['NODE_EXTRA_CA_CERTS'] = process.env['ROUSE_SAVED_EXTRA_CA_CERTS'];
  delete process.env['ROUSE_SAVED_EXTRA_CA_CERTS'];
}

// The launcher says by which name it was called; children are not called by it.
const program = process.env['ROUSE_CALLED_AS'] || 'rouse';
delete process.env['ROUSE_CALLED_AS'];

/** Older ones cannot even read the rest, so this is checked before it is loaded. */
const OLDEST_NODE = [20, 19] as const;
const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];

/** Built beside this file; esbuild must not look into it. */
const COMMAND_LINE: string = './command-line.js';

const argv = process.argv.slice(2);
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  process.stderr.write(`rouse: needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.version}\n`);
  process.exitCode = 7;
} else if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`rouse ${ROUSE_VERSION}\n`);
} else {
  useCompileCache(process.env);
  void (import(COMMAND_LINE) as Promise<typeof import('./command-line.ts')>).then(({ runCommandLine }) =>
    runCommandLine(argv, program),
  );
}
