import { isUtf8 } from 'node:buffer';
import { armCrashPoint, invalid, isTerminal, surviveGoneTerminal } from '../base/index.ts';
import { runCli } from '../cli/index.ts';
import { reportUnwritable, type Surroundings } from '../cli/run-line.ts';
import { StandardOutput } from './standard-output.ts';

/** The whole command line, loaded for everything but `--version`. */
export function runCommandLine(argv: string[], program: string): Promise<void> {
  return runInSurroundings({ argv, program }, runCli);
}

/** Aborted by the first signal. This file is the only place that handles streams, signals and exit codes. */
const interrupted = new AbortController();

/** A second Ctrl-C exits at once. SIGHUP does not count: kernel and shell each send one when a terminal closes. */
function onSignal(signal: NodeJS.Signals): void {
  if (interrupted.signal.aborted && signal !== 'SIGHUP') process.exit(130);
  interrupted.abort();
}

/** More than any command needs. Endless input ends in an error instead of using all memory. */
const MAX_STDIN = 64 * 1024 * 1024;

async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) return '';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_STDIN) throw invalid(`standard input is longer than ${MAX_STDIN} bytes`);
  }
  const all = Buffer.concat(chunks);
  if (!isUtf8(all)) throw invalid('standard input is not UTF-8 text');
  return all.toString('utf8');
}

/** Sets the exit code when `run` has ended. */
export async function runInSurroundings(
  line: Pick<Surroundings, 'argv' | 'program'>,
  run: (outside: Surroundings) => Promise<number>,
): Promise<void> {
  surviveGoneTerminal();
  armCrashPoint(process.env['ROUSE_CRASH_AT']);
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // The terminal was closed: end in order, as for the other signals.
  process.on('SIGHUP', onSignal);
  let outlived = false;
  // A failure to write to standard error never ends the program.
  const stderr = new StandardOutput(2, () => {});
  const stdout = new StandardOutput(1, (error) => {
    if (outlived) return;
    if (error.code === 'EPIPE' || error.code === 'EIO') process.exit(0);
    process.exit(reportUnwritable(error, (text) => stderr.write(text)));
  });
  process.exitCode = await run({
    ...line,
    env: process.env,
    stdout: {
      write: (text) => stdout.write(text),
      isTTY: stdout.isTTY,
      size: () => stdout.size,
      outlive: () => {
        outlived = true;
      },
    },
    stderr: { write: (text) => stderr.write(text), isTTY: stderr.isTTY },
    stdin: readStdin,
    // Not `process.stdin.isTTY`: creating process.stdin takes 2 ms.
    stdinIsTty: isTerminal(0),
    signal: interrupted.signal,
  });
}
