import { commandLine, invalid, notFound } from '../../base/index.ts';
import { teamOf } from '../../config/index.ts';
import type { Flag, Input } from '../command.ts';
import { sessionContext } from './target.ts';

export const ALL = {
  name: 'all',
  summary: 'every agent of this host, one after the other',
} as const satisfies Flag;

export const TEAM = {
  name: 'team',
  summary: 'every agent of the team in .rouse.toml, one after the other',
} as const satisfies Flag;

/** An agent that a line names. With an id, the name is only shown. */
export interface NamedAgent {
  name: string;
  id?: string;
}

interface AskedNames {
  /** Names as they were typed: `ana`, `ana,ben`. */
  words: readonly string[];
  all: boolean;
  team: boolean;
}

/** The agents that are meant at this moment, each once, in the order they were named. */
export async function expandNames(input: Input, { words, all, team }: AskedNames): Promise<NamedAgent[]> {
  if ([all, team, words.length > 0].filter(Boolean).length > 1)
    throw invalid('names, --all and --team exclude each other', { hint: 'use one of them' });
  if (all) return everyone(input);
  if (team) return teamNames(input).map((name) => ({ name }));
  return [...new Set(words.flatMap(names))].map((name) => ({ name }));
}

function names(word: string): string[] {
  const parts = word.split(',').map((part) => part.trim());
  if (parts.length > 1 && parts.includes(''))
    throw invalid(`${JSON.stringify(word)} has an empty name between its commas`, {
      hint: 'write several names as ana,ben or with spaces',
    });
  return parts;
}

/** The agent around this command comes last, because the command may end it. */
async function everyone(input: Input): Promise<NamedAgent[]> {
  const { findTarget, isInsideTmux, roster } = await import('../../session/index.ts');
  const context = sessionContext(input);
  const { agents } = await roster(context);
  const own = isInsideTmux(input.env)
    ? await findTarget(context, { currentSession: true }).catch(() => undefined)
    : undefined;
  const isOwn = (id: string): boolean => own?.kind === 'local' && own.facts.agentId === id;
  return agents
    .map(({ name, id }) => ({ name, id }))
    .sort((a, b) => Number(isOwn(a.id)) - Number(isOwn(b.id)));
}

function teamNames({ settings }: Input): string[] {
  const found = teamOf(settings.config);
  if (found) return found.members.map(([name]) => name);
  const { project } = settings.config;
  throw notFound('no file names a team', {
    hint:
      project && project.state !== 'trusted'
        ? `${project.path} is not trusted; look at it, then run "${commandLine`rouse config trust`}"`
        : 'write [team.ana] and below it tool = "claude" into .rouse.toml',
  });
}
