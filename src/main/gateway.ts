import { fstatSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { armCrashPoint, handleListenerErrors, messageOf, surviveGoneTerminal } from '../base/index.ts';
import { HAND_OVER_SIGNAL } from '../domain/index.ts';
import { gatewayWords, startOne } from './one-gateway.ts';

/** Of this file, which is built into the package's dist. */
const INSTALLATION = path.join(import.meta.dirname, '..');

/**
 * The gateway's program. `rouse agents gateway attach` starts it, for one session, or with `--rouse-home` as the host of
 * many. What became of the start of a gateway is written to run/attempt.json, so that nobody has to read a log to learn it.
 */
async function main(argv: string[]): Promise<void> {
  surviveGoneTerminal();
  // The window is for people, the log file keeps what it shows; neither ends the gateway.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  if (argv.includes('--rouse-home')) {
    const { hostMany } = await import('./host-many.ts');
    await hostMany(argv, INSTALLATION);
  } else {
    await runOne(argv);
  }
  process.exit(0);
}

async function runOne(argv: string[]): Promise<void> {
  const words = gatewayWords(argv);
  const restarts = Number(words.restarts);
  // A test's crash is one crash: whoever is started again after it runs on.
  armCrashPoint(restarts === 0 ? process.env['ROUSE_CRASH_AT'] : undefined);
  handleListenerErrors((error) => void process.stderr.write(`gateway: ${messageOf(error)}\n`));
  const show = isSeen(process.stdout.fd)
    ? (line: string): void => void process.stdout.write(line)
    : undefined;
  const surroundings = {
    installation: INSTALLATION,
    env: process.env,
    hosted: false,
    restarts,
    ...(show && { show }),
  };
  const gateway = await startOne(words, surroundings);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => void gateway.stop(signal));
  }
  process.on(HAND_OVER_SIGNAL, () => void gateway.stop('restart', { handOver: true }));
  await gateway.stopped;
}

/** A gateway in the background has nobody who looks: its output goes to /dev/null. */
function isSeen(fd: number): boolean {
  return fstatSync(fd).rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`gateway: ${messageOf(error)}\n`);
  process.exit(1);
});
