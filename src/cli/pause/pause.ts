import { commandLine, invalid, isRouseError, unsupported, utcStamp } from '../../base/index.ts';
import type { GatewayClient } from '../../client/index.ts';
import type { AgentPause } from '../../domain/index.ts';
import type { ManifestFacts } from '../../session/index.ts';
import { sessionContext, type TargetInput } from '../agents/target.ts';
import { command, type Flag, type Input, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { gatewayOf, reachable } from '../gateway/target.ts';
import { shownTime } from '../print/shown-time.ts';
import { ALL, namesOf, outcomesOf, outcomesOutput } from './each-agent.ts';
import { durationMs, timeToCome } from './until.ts';

const FLAGS = [
  ALL,
  { name: 'for', value: 'TIME', summary: 'end by itself after 30m, 1h, 2d, …', parse: durationMs },
  {
    name: 'until',
    value: 'TIME',
    summary: 'end by itself at 08:00, or at a time such as 2026-04-16T08:00Z',
    parse: (text: string) => timeToCome(text),
  },
] as const satisfies readonly Flag[];

async function runPause(input: InputOf<typeof FLAGS>): Promise<Output> {
  const until = untilOf(input);
  const { names } = await namesOf(input, 'pause');
  const outcomes = await outcomesOf(input, names, async (name) => {
    const { facts, gateway } = await found(input, name);
    const pause = gateway ? await begin(gateway, name, until) : await pauseHere(input, facts!, until);
    const silent = gateway ? '' : '; it has no gateway that answers, and one that starts keeps to it';
    return { line: `${name}: ${pausedWords(pause, name, input)}${silent}`, data: { paused: pause } };
  });
  return outcomesOutput(outcomes, 'no agents');
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

async function runResume(input: InputOf<readonly [typeof ALL]>): Promise<Output> {
  const { names, isAll } = await namesOf(input, 'resume');
  const { resumeOffline } = await import('../../session/index.ts');
  const outcomes = await outcomesOf(input, names, async (name) => {
    const { facts, gateway } = await found(input, name);
    const before = await (gateway ? paused(gateway, name) : pausedHere(facts!));
    if (gateway) await gateway.call('pause.end', {});
    else resumeOffline(facts!);
    return {
      line: `${name}: ${before ? 'resumed; what waited goes on as it becomes ready' : 'was not paused'}`,
      data: { was_paused: before !== undefined, paused: null },
    };
  });
  const shown = isAll ? outcomes.filter(({ data, error }) => error || data?.['was_paused']) : outcomes;
  return outcomesOutput(shown, 'no agent was paused');
}

interface Found {
  /** Undefined for an agent of another host. */
  facts: ManifestFacts | undefined;
  /** Undefined if none answers; then the agent is of this host. */
  gateway: GatewayClient | undefined;
}

async function found(input: Input, name: string): Promise<Found> {
  const target = await reachable({
    ...input,
    args: [],
    flags: { agentName: name },
    worded: new Set(['agentName']),
  } as unknown as TargetInput);
  const gateway = await gatewayOf(input, target);
  if (typeof gateway !== 'string')
    return { facts: target.kind === 'local' ? target.facts : undefined, gateway };
  if (target.kind === 'local') return { facts: target.facts, gateway: undefined };
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

const NAMES = {
  name: 'agent',
  names: 'agent',
  summary: 'names of agents',
  variadic: true,
  optional: true,
} as const;

export const pause = command({
  ...FIRST_WORDS.pause,
  description:
    'Rouse types nothing into a paused agent on its own account: no wakes for mail, no reminders, no messages and ' +
    'nudges of the fleet. Mail still arrives, every setting stays, a turn that runs goes on, and what you type or send as a ' +
    'prompt goes. When the pause ends, what waited goes on, one thing at a time. It survives restarts.',
  examples: [
    'rouse pause ana',
    'rouse pause ana ben --for 1h30m',
    'rouse pause --all --until 08:00   # the next eight o’clock here',
  ],
  args: [NAMES],
  flags: FLAGS,
  run: runPause,
});

export const resume = command({
  ...FIRST_WORDS.resume,
  description: 'Ends the pause of "rouse pause". An agent that is not paused stays as it is.',
  examples: ['rouse resume ana', 'rouse resume --all'],
  args: [NAMES],
  flags: [ALL],
  run: runResume,
});
