import { endOfTurn, type NOW } from '../agents/stopping/end-of-turn.ts';
import { sessionContext } from '../agents/target.ts';
import type { InputOf, Output } from '../command.ts';
import {
  forEach,
  type MemberReport,
  membersOf,
  requireOurs,
  type TeamMember,
  teamOutput,
} from './members.ts';

/** Stops running agents and forgets lost ones. Mail and session directories stay. */
type DownInput = InputOf<readonly [typeof NOW]>;

export async function runDown(input: DownInput): Promise<Output> {
  const { file, members } = await membersOf(input);
  return teamOutput(file, await forEach(input, members, (member) => end(input, member)));
}

async function end(input: DownInput, member: TeamMember): Promise<MemberReport> {
  const { stop, whereabouts } = await import('../../session/index.ts');
  const { name } = member;
  const found = await whereabouts(sessionContext(input), member);
  if (found.state === 'none') return { name, action: 'not_running', detail: '' };
  requireOurs(member, found.facts.workingDirectory);
  input.progress(`ending ${name}`);
  const resume = input.flags.now ? undefined : await endOfTurn(input, found.facts, 'down');
  const { session, notes } = await stop(sessionContext(input), found.facts).finally(resume);
  if (session === 'left')
    return { name, action: 'left', detail: 'its session was joined, and continues without a gateway', notes };
  return { name, action: 'stopped', detail: found.facts.tmuxSessionName, notes };
}
