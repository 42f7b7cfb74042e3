import { sessionContext } from '../agents/target.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { rosterText } from './roster-table.ts';

export const WATCH = {
  name: 'watch',
  short: 'w',
  summary: 'show every change as it happens, until Ctrl-C',
} as const satisfies Flag;

async function run(input: InputOf<typeof FLAGS>): Promise<Output | void> {
  if (input.flags.watch) return (await import('./roster-watch.ts')).watchRoster(input);
  const { roster } = await import('../../session/index.ts');
  const { processes: _, known, ...found } = await roster(sessionContext(input));
  const data = { schema_version: 1, ...found };
  const shown = { ...found, processes: [], known };
  return input.style === 'json' ? { data } : { data, plain: rosterText(shown, input) };
}

const FLAGS = [WATCH] as const satisfies readonly Flag[];

/** Fast: reads files and asks tmux once. "agents list" also asks every gateway, and repairs the registry. */
export const ls = command({
  ...FIRST_WORDS.ls,
  description:
    'Shows the state of each agent, its open mail, how often it was woken (proven wakes only), and what its ' +
    'mail or its requests wait for. An agent without a gateway is not watched: only whether its tool runs is known. ' +
    'Reads the files of the gateways and asks tmux once; "rouse agents list" also asks each gateway and ' +
    'shows more columns. Times are UTC.',
  examples: ['rouse ls', 'rouse ls --watch', 'rouse ls --json'],
  flags: FLAGS,
  run,
});
