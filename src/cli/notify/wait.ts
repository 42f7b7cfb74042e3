import { commandLine, notFound, silentLog, sleep, systemClock, unavailable } from '../../base/index.ts';
import { bareAgentName, codesOf, hasComeTrue, WAIT_CONDITIONS, type WaitedFor } from '../../domain/index.ts';
import type { RosterAgent, RosterFollower } from '../../session/index.ts';
import { CODES } from '../../wire/codes.ts';
import { sessionContext } from '../agents/target.ts';
import { command, type Flag, type Input, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { durationSeconds } from '../input/flag-values.ts';

const FLAGS = [
  {
    name: 'until',
    value: 'CONDITION',
    summary: `what to wait for: ${conditionWords()}`,
    choices: codesOf(WAIT_CONDITIONS),
    default: 'idle' as const,
  },
  {
    name: 'timeout',
    value: 'TIME',
    summary: 'give up after this long, such as 10m; exit code 5 then',
    parse: durationSeconds,
  },
] as const satisfies readonly Flag[];

function conditionWords(): string {
  return Object.entries(WAIT_CONDITIONS)
    .map(([code, { help }]) => `${code} (${help})`)
    .join(', ');
}

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const { RosterFollower, waitedFor } = await import('../../session/index.ts');
  const { until, timeout } = input.flags;
  const name = bareAgentName(input.args[0]!);
  const over = new AbortController();
  const signal = AbortSignal.any([input.signal, over.signal]);
  let changed: () => void = () => {};
  const follower = new RosterFollower(sessionContext(input), silentLog);
  follower.start(() => changed());
  input.progress(`waiting until ${name} ${WAIT_CONDITIONS[until].words}`);
  if (timeout !== undefined) void sleep(systemClock, timeout * 1000, signal).then(() => over.abort());
  try {
    let before: WaitedFor | undefined;
    for (;;) {
      const next = new Promise<void>((resolve) => {
        changed = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      const agent = (await follower.look()).find((each) => [each.name, each.called].includes(name));
      if (!agent && before === undefined) throw noSuchAgent(name);
      const now = agent ? waitedFor(agent, follower.glanceOf(agent.id)) : ENDED;
      before ??= now;
      if (hasComeTrue(until, before, now)) return cameTrue(name, until, agent);
      if (now.state === 'gone' && (await isGoneForGood(follower, name)))
        throw unavailable(`${name} has ended`, { hint: commandLine`rouse agents relaunch ${name}` });
      if (signal.aborted) return gaveUp(input, name, until, agent);
      await next;
    }
  } finally {
    over.abort();
    follower.stop();
  }
}

const ENDED: WaitedFor = { state: 'gone', needs_you: false, open_mail: null, edges: undefined };

/** A relaunch passes through "gone": looked at once more before the wait ends. */
async function isGoneForGood(follower: RosterFollower, name: string): Promise<boolean> {
  await sleep(systemClock, 1000);
  const agent = (await follower.look()).find((each) => [each.name, each.called].includes(name));
  return agent === undefined || agent.state === 'gone';
}

const noSuchAgent = (name: string): Error =>
  notFound(`there is no agent ${name}`, { hint: '"rouse ls" shows the agents there are' });

type Until = keyof typeof WAIT_CONDITIONS;

function cameTrue(name: string, until: Until, agent: RosterAgent | undefined): Output {
  return {
    data: { agent: name, until, came_true: true, state: agent?.state ?? 'gone' },
    plain: `${name} ${WAIT_CONDITIONS[until].words}.`,
  };
}

function gaveUp(input: Input, name: string, until: Until, agent: RosterAgent | undefined): Output {
  if (input.signal.aborted) return { data: { agent: name, until, came_true: false }, exitCode: 130 };
  return {
    data: { agent: name, until, came_true: false, state: agent?.state ?? 'gone' },
    plain: `Not yet: ${name} is ${agent?.reason ?? 'gone'}.`,
    exitCode: CODES.not_ready.exit,
  };
}

export default command({
  ...FIRST_WORDS.wait,
  description:
    'For scripts. It looks at the agent when it begins, and then sleeps until something changes: nothing polls. The ' +
    'gateway counts what happens, so a state that is over before it is looked at is not missed. Exit code 0 when it has ' +
    'come true, 5 after the timeout, 7 when the agent has ended instead.',
  examples: [
    'rouse wait ana   # then: rouse send ana next',
    'rouse wait ana --until turn-ended --timeout 30m',
    'rouse wait ana --until needs-you   # then: rouse answer ana',
  ],
  args: [{ name: 'agent', names: 'agent', summary: 'name of an agent of this host' }],
  flags: FLAGS,
  run,
});
