import { parseArgs } from 'node:util';
import { armCrashPoint, handleListenerErrors, invalid, messageOf } from '../base/index.ts';
import { runHost } from '../host/index.ts';
import { openHostNotices } from './host-notices.ts';
import { gatewayWords, processClock, startOne } from './one-gateway.ts';

/** The host's program; its arguments name the home whose gateways it runs. */
export async function hostMany(argv: string[], installation: string): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: {
      'rouse-home': { type: 'string' },
      'host-directory': { type: 'string' },
      restarts: { type: 'string', default: '0' },
      'restarts-of-each': { type: 'string', default: '0' },
      'first-pause-seconds': { type: 'string', default: '1' },
    },
  });
  const { 'rouse-home': rouseHome, 'host-directory': directory } = values;
  if (!rouseHome || !directory) throw invalid('--rouse-home and --host-directory are required');
  const restarts = Number(values.restarts);
  armCrashPoint(restarts === 0 ? process.env['ROUSE_CRASH_AT'] : undefined);
  handleListenerErrors((error) => void process.stderr.write(`host: ${messageOf(error)}\n`));
  await runHost({
    directory,
    rouseHome,
    clock: processClock(),
    restarts,
    openNotices: () => openHostNotices({ hostDirectory: directory, env: process.env, clock: processClock() }),
    keeping: {
      restarts: Number(values['restarts-of-each']),
      firstPauseSeconds: Number(values['first-pause-seconds']),
    },
    start: ({ words, env }, again) =>
      startOne(gatewayWords(words), { installation, env, hosted: true, restarts: again }),
  });
}
