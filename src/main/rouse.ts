import { armCrashPoint } from '../base/index.ts';
import { runCli } from '../cli/index.ts';

/** The program behind `rouse` and `houmao-mgr`: the only place that sees argv, signals and exit codes. */
declare const ROUSE_VERSION: string;

// The launcher moves this aside because Node 20 reads it at every start; children must see it as it was.
if (process.env['ROUSE_SAVED_EXTRA_CA_CERTS']) {
  process.env['NODE_EXTRA_CA_CERTS'] = process.env['ROUSE_SAVED_EXTRA_CA_CERTS'];
  delete process.env['ROUSE_SAVED_EXTRA_CA_CERTS'];
}

const interrupted = new AbortController();

function onSignal(): void {
  if (interrupted.signal.aborted) process.exit(130);
  interrupted.abort();
}

async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) return '';
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`rouse ${ROUSE_VERSION}\n`);
    return;
  }
  armCrashPoint(process.env['ROUSE_CRASH_AT']);
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  process.exitCode = await runCli({
    argv,
    env: process.env,
    stdout: { write: (text) => void process.stdout.write(text), isTTY: process.stdout.isTTY === true },
    stderr: { write: (text) => void process.stderr.write(text), isTTY: process.stderr.isTTY === true },
    stdin: readStdin,
    stdinIsTty: process.stdin.isTTY === true,
    signal: interrupted.signal,
  });
}

void main();
