import { fstatSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { armCrashPoint, handleListenerErrors, messageOf, surviveGoneTerminal } from '../base/index.ts';
import { HAND_OVER_SIGNAL } from '../domain/index.ts';
import { gatewayWords, startOne } from './one-gateway.ts';

/** The directory of the package; this file is in its dist. */
const INSTALLATION = path.join(import.meta.dirname, '..');

/**
 * The gateway's program. `rouse agents gateway attach` starts it for one session, or with `--rouse-home` as the host of
 * many. The result of the start is written to run/attempt.json, so that the command does not have to read a log.
 */
async function main(argv: string[]): Promise<void> {
  surviveGoneTerminal();
  // A closed window must not end the gateway; the log file has everything that the window shows.
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
  // A test crashes the program once; after the restart it keeps running.
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

/** Whether the output goes anywhere; in the background it goes to /dev/null. */
function isSeen(fd: number): boolean {
  return fstatSync(fd).rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`gateway: ${messageOf(error)}\n`);
  process.exit(1);
});
