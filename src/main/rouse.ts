import { commandLine, quickWord } from './quick-load.ts';

/** The program behind `rouse` and `houmao-mgr`. It answers for its version by itself, and loads the rest only when needed. */
declare const ROUSE_VERSION: string;
/** The words that have a bundle of their own. */
declare const ROUSE_QUICK_WORDS: readonly string[];
declare const __dirname: string;

// The launcher moves this aside because Node 20 reads it at every start; children must see it as it was.
if (process.env['ROUSE_SAVED_EXTRA_CA_CERTS']) {
  process.env['NODE_EXTRA_CA_CERTS'] = process.env['ROUSE_SAVED_EXTRA_CA_CERTS'];
  delete process.env['ROUSE_SAVED_EXTRA_CA_CERTS'];
}

/** Older ones cannot even read the rest, so this is told before it is loaded. */
const OLDEST_NODE = [20, 19] as const;
const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];

const argv = process.argv.slice(2);
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  process.stderr.write(`rouse: needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.version}\n`);
  process.exitCode = 7;
} else if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`rouse ${ROUSE_VERSION}\n`);
} else {
  const word = ROUSE_QUICK_WORDS.find((each) => each === argv[0]);
  const done = word && quickWord(__dirname, word).run(argv);
  if (!done) void commandLine(__dirname).runCommandLine(argv);
}
