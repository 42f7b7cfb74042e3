import { NOW } from '../agents/stopping/end-of-turn.ts';
import { command } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { runDown } from './down.ts';
import { FRESH, runUp } from './up.ts';

const NAMES = {
  name: 'agents',
  names: 'member',
  summary: 'only these of the team',
  variadic: true,
  optional: true,
} as const;

export const up = command({
  ...FIRST_WORDS.up,
  description:
    'Starts each agent of [team.…] that does not run, with its gateway and its wakes. An agent whose session ended without ' +
    'being stopped, as by a reboot, is brought back with its queue, its reminders, its wake settings and, where the tool can ' +
    'resume it, its conversation. So is one that "rouse down" stopped, unless it is --fresh. Run it as often as you like.',
  examples: ['rouse up', 'rouse up ana ben   # only these of the team'],
  args: [NAMES],
  flags: [FRESH],
  run: runUp,
});

export const down = command({
  ...FIRST_WORDS.down,
  description:
    'Stops each running agent of [team.…]. A joined session is left running. Mail and session directories are kept, ' +
    'and "rouse up" goes on with the same conversations. A turn that runs is waited for, unless with --now.',
  examples: ['rouse down', 'rouse down ben'],
  args: [NAMES],
  flags: [NOW],
  run: runDown,
});
