import { commandLine, invalid, isRouseError, unsupported, utcStamp } from '../../base/index.ts';
import type { GatewayClient } from '../../client/index.ts';
import type { AgentPause } from '../../domain/index.ts';
import type { ManifestFacts } from '../../session/index.ts';
import { severalAgents } from '../agents/several-agents.ts';
import { GATEWAY_TARGET_FLAGS, sessionContext, type TargetInput } from '../agents/target.ts';
import { command, type Flag, type Input, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { gatewayOf, reachable } from '../gateway/target.ts';
import { shownTime } from '../print/shown-time.ts';
import { durationMs, timeToCome } from './until.ts';

const FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  { name: 'for', value: 'TIME', summary: 'end by itself after 30m, 1h, 2d, …', parse: durationMs },
  {
    name: 'until',
    value: 'TIME',
    summary: 'end by itself at 08:00, or at a time such as 2026-04-16T08:00Z',
    parse: (text: string) => timeToCome(text),
  },
] as const satisfies readonly Flag[];

async function runPause(input: InputOf<typeof FLAGS>): Promise<Output> {
  requireAgent(input, 'pause');
  const until = untilOf(input);
  const { name, facts, gateway } = await findTarget(input);
  const pause = gateway ? await begin(gateway, name, until) : await pauseHere(input, facts!, until);
  const silent = gateway ? '' : '; it has no gateway that answers, and one that starts keeps to it';
  return {
    data: { agent_name: name, paused: pause },
    plain: `${name}: ${pausedWords(pause, name, input)}${silent}`,
  };
}

function untilOf({ flags }: InputOf<typeof FLAGS>): string | null {
  const { for: ms, until } = flags;
  if (ms !== undefined && until !== undefined) throw invalid('--for and --until exclude each other');
  return ms === undefined ? (until ?? null) : utcStamp(new Date(Date.now() + ms));
}

/** `paused until 08:00`, `paused; "rouse resume ana" ends it`. */
function pausedWords({ until_utc: until }: AgentPause, name: string, { utc }: Input): string {
  return until === null
    ? `paused; "${commandLine`rouse resume ${name}`}" ends it`
    : `paused until ${shownTime(until, { utc })}`;
}

async function runResume(input: TargetInput): Promise<Output> {
  requireAgent(input, 'resume');
  const { name, facts, gateway } = await findTarget(input);
  const before = await (gateway ? paused(gateway, name) : pausedHere(facts!));
  const { resumeOffline } = await import('../../session/index.ts');
  if (gateway) await gateway.call('pause.end', {});
  else resumeOffline(facts!);
  return {
    data: { agent_name: name, was_paused: before !== undefined, paused: null },
    plain: `${name}: ${before ? 'resumed; what waited goes on as it becomes ready' : 'was not paused'}`,
  };
}

/** Nothing is paused by accident, such as the agent around the command. */
function requireAgent({ flags }: TargetInput, verb: 'pause' | 'resume'): void {
  const { agentName, agentId, targetTmuxSession, currentSession } = flags;
  if ([agentName, agentId, targetTmuxSession, currentSession].some((named) => named !== undefined)) return;
  throw invalid(`name the agents to ${verb}, or --all`, {
    hint: `"${commandLine`rouse ${verb} ana`}" or "${commandLine`rouse ${verb} --all`}"; "rouse ls" shows the agents there are`,
  });
}

interface PauseTarget {
  name: string;
  /** Undefined for an agent of another host. */
  facts: ManifestFacts | undefined;
  /** Undefined if none responds; then the agent is of this host. */
  gateway: GatewayClient | undefined;
}

async function findTarget(input: TargetInput): Promise<PauseTarget> {
  const target = await reachable(input);
  const gateway = await gatewayOf(input, target);
  const facts = target.kind === 'local' ? target.facts : undefined;
  const name = target.kind === 'local' ? target.facts.agentName : target.agentRef;
  if (typeof gateway !== 'string') return { name, facts, gateway };
  if (facts) return { name, facts, gateway: undefined };
  throw unsupported(`agent ${name} has no gateway that answers: ${gateway}`);
}

async function begin(gateway: GatewayClient, name: string, until: string | null): Promise<AgentPause> {
  const { paused } = await knows(gateway.call('pause.begin', { body: { until_utc: until } }), name);
  return paused!;
}

async function paused(gateway: GatewayClient, name: string): Promise<AgentPause | undefined> {
  return (await knows(gateway.call('pause.status', {}), name)).paused ?? undefined;
}

/** A gateway of an older version does not know the route. */
async function knows<T>(asked: Promise<T>, name: string): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!isRouseError(error) || (error.code !== 'not_found' && error.code !== 'forbidden')) throw error;
    throw unsupported(`the gateway of ${name} is of a version that cannot pause it`, {
      hint: `on its host: ${commandLine`rouse agents gateway attach ${name}`} starts the gateway of this version`,
    });
  }
}

async function pauseHere(input: Input, facts: ManifestFacts, until: string | null): Promise<AgentPause> {
  const { pauseOffline } = await import('../../session/index.ts');
  return pauseOffline(sessionContext(input), facts, until);
}

async function pausedHere(facts: ManifestFacts): Promise<AgentPause | undefined> {
  const { pauseOf, sessionPaths } = await import('../../session/index.ts');
  return pauseOf(sessionPaths(facts.root), Date.now());
}

export const pause = severalAgents(
  command({
    ...FIRST_WORDS.pause,
    description:
      'Rouse types nothing into a paused agent on its own account: no wakes for mail, no reminders, no messages and ' +
      'nudges of the fleet. Mail still arrives, every setting stays, a turn that runs goes on, and what you type or send as a ' +
      'prompt goes. When the pause ends, what waited goes on, one thing at a time. It survives restarts.',
    examples: [
      'rouse pause ana',
      'rouse pause ana ben --for 1h30m',
      'rouse pause --all --until 08:00   # the next 08:00 here',
    ],
    flags: FLAGS,
    run: runPause,
  }),
);

export const resume = severalAgents(
  command({
    ...FIRST_WORDS.resume,
    description: 'Ends the pause of "rouse pause". An agent that is not paused stays as it is.',
    examples: ['rouse resume ana', 'rouse resume --all'],
    flags: GATEWAY_TARGET_FLAGS,
    run: runResume,
  }),
);
