import * as fs from 'node:fs';
import { parseArgs } from 'node:util';
import { playVisit } from './play-visit.ts';
import type { Visit } from './scene.ts';
import { VISITS } from './scenes/index.ts';

const USAGE = 'usage: capture-screens --tool NAME [--only TEXT] [--into DIRECTORY]';

/** Visits real programs, writes their screens to files, and prints how the current detectors classify them. */
export async function captureScreens(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { tool: { type: 'string' }, only: { type: 'string' }, into: { type: 'string' } },
  });
  const { tool, only = '', into = '/tmp/screens' } = values;
  const named = ({ setup, scenes }: Visit): boolean =>
    setup.includes(only) || scenes.some(({ state }) => state.includes(only));
  const visits = VISITS.filter((visit) => visit.tool === tool && named(visit));
  if (visits.length === 0) {
    console.error(USAGE);
    return 2;
  }
  fs.mkdirSync(into, { recursive: true });
  const counts: Record<string, number> = {};
  for (const visit of visits) {
    for (const { name, outcome, verdict, said } of await playVisit(visit, into)) {
      counts[verdict] = (counts[verdict] ?? 0) + 1;
      console.log(`${verdict}\t${outcome}\t${name}\t[${visit.setup}]\t${said.join(' ')}`);
    }
  }
  console.log(JSON.stringify(counts));
  return 0;
}
