import { useCompileCache } from './compile-cache.ts';

/** The program behind `rouse` and `houmao-mgr`. It prints its version by itself, and loads the rest only when needed. */
declare const ROUSE_VERSION: string;

// The launcher removes this variable because Node 20 reads it at every start; children must see it again.
if (process.env['ROUSE_SAVED_EXTRA_CA_CERTS']) {
  process.env['NODE_EXTRA_CA_CERTS'] = process.env['ROUSE_SAVED_EXTRA_CA_CERTS'];
  delete process.env['ROUSE_SAVED_EXTRA_CA_CERTS'];
}

// The launcher passes the name it was called by; children must not inherit it.
const program = process.env['ROUSE_CALLED_AS'] || 'rouse';
delete process.env['ROUSE_CALLED_AS'];

/** Older versions cannot even parse the rest, so this is checked before loading it. */
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
