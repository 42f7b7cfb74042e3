import type { Roster } from '../../session/index.ts';
import { sessionContext } from '../agents/target.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { workingDirectory } from '../settings.ts';
import { rosterText } from './roster-table.ts';

export const HERE = {
  name: 'here',
  summary: 'only the agents of the project of this directory',
} as const satisfies Flag;

export const WATCH = {
  name: 'watch',
  short: 'w',
  summary: 'show every change as it happens, until Ctrl-C',
} as const satisfies Flag;

async function run(input: InputOf<typeof FLAGS>): Promise<Output | void> {
  if (input.flags.watch) {
    const { watchRoster } = await import('./roster-watch.ts');
    return watchRoster(input, (found) => wantedAgents(found, input));
  }
  const { roster } = await import('../../session/index.ts');
  const all = await roster(sessionContext(input));
  const { processes: _, known, ...found } = await wantedAgents(all, input);
  const data = { schema_version: 1, ...found };
  const shown = { ...found, processes: [], known };
  return input.style === 'json' ? { data } : { data, plain: rosterText(shown, input) };
}

const FLAGS = [HERE, WATCH] as const satisfies readonly Flag[];

/** With `--here`, only the agents of the project of the working directory. */
export async function wantedAgents(found: Roster, input: InputOf<readonly [typeof HERE]>): Promise<Roster> {
  if (!input.flags.here) return found;
  const { findProject } = await import('../../session/index.ts');
  const { directory } = findProject(workingDirectory());
  return { ...found, agents: found.agents.filter(({ project }) => project?.directory === directory) };
}

/** Fast: reads files and asks tmux once. "agents list" also asks every gateway, and repairs the registry. */
export const ls = command({
  ...FIRST_WORDS.ls,
  description:
    'Shows the state of each agent, its open mail, how often it was woken (proven wakes only), and what its ' +
    'mail or its requests wait for, its project, branch and directory. A name is the one to use from here. An agent without a gateway is not watched: only whether its tool runs is known. ' +
    'Reads the files of the gateways and asks tmux once; "rouse agents list" also asks each gateway and ' +
    'shows more columns. Times are local, with --utc in UTC.',
  examples: ['rouse ls', 'rouse ls --here', 'rouse ls --watch', 'rouse ls --json'],
  flags: FLAGS,
  run,
});
