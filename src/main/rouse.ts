/** The program behind `rouse` and `houmao-mgr`. It answers for its version by itself, and loads the rest only when needed. */
declare const ROUSE_VERSION: string;
/** A require, because import() would start the ESM loader, which costs more than all the rest. */
declare function require(path: './command-line.cjs'): typeof import('./command-line.ts');

// The launcher moves this aside because Node 20 reads it at every start; children must see it as it was.
if (process.env['ROUSE_SAVED_EXTRA_CA_CERTS']) {
  process.env['NODE_EXTRA_CA_CERTS'] = process.env['ROUSE_SAVED_EXTRA_CA_CERTS'];
  delete process.env['ROUSE_SAVED_EXTRA_CA_CERTS'];
}

const argv = process.argv.slice(2);
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`rouse ${ROUSE_VERSION}\n`);
} else {
  void require('./command-line.cjs').runCommandLine(argv);
}

export {};
