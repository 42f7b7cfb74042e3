import { isUtf8 } from 'node:buffer';
import { armCrashPoint, invalid, surviveGoneTerminal } from '../base/index.ts';
import { runCli, unwritable } from '../cli/index.ts';

/** The command line in its surroundings: the only place that sees streams, signals and exit codes. */
const interrupted = new AbortController();

function onSignal(): void {
  if (interrupted.signal.aborted) process.exit(130);
  interrupted.abort();
}

/** More than any command takes: an endless input ends in an error, not in all of the memory. */
const LONGEST_STDIN = 64 * 1024 * 1024;

async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) return '';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > LONGEST_STDIN) throw invalid(`standard input is longer than ${LONGEST_STDIN} bytes`);
  }
  const all = Buffer.concat(chunks);
  if (!isUtf8(all)) throw invalid('standard input is not UTF-8 text');
  return all.toString('utf8');
}

export async function runCommandLine(argv: string[]): Promise<void> {
  surviveGoneTerminal();
  armCrashPoint(process.env['ROUSE_CRASH_AT']);
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // The terminal was closed: what has been begun is ended in order, as by the others.
  process.on('SIGHUP', onSignal);
  let outlived = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (outlived) return;
    if (error.code === 'EPIPE' || error.code === 'EIO') process.exit(0);
    process.exit(unwritable(error, (text) => process.stderr.write(text)));
  });
  // What cannot be told ends nothing.
  process.stderr.on('error', () => {});
  process.exitCode = await runCli({
    argv,
    env: process.env,
    stdout: {
      write: (text) => void process.stdout.write(text),
      isTTY: process.stdout.isTTY === true,
      outlive: () => {
        outlived = true;
      },
    },
    stderr: { write: (text) => void process.stderr.write(text), isTTY: process.stderr.isTTY === true },
    stdin: readStdin,
    stdinIsTty: process.stdin.isTTY === true,
    signal: interrupted.signal,
  });
}
