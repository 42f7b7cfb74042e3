import { invalid, notFound, silentLog, systemClock } from '../../base/index.ts';
import { bareAgentName, codesOf, isCodeOf, OPERATOR, WAIT_CONDITIONS } from '../../domain/index.ts';
import type { StoredWait } from '../../notices/index.ts';
import { sessionContext } from '../agents/target.ts';
import { command, type Flag, type Input, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { notBlank, wholeNumber } from '../input/flag-values.ts';
import { activeBindingOf } from '../mail/agent-door.ts';
import { table } from '../print/table.ts';
import { lookAgain, withOutbox } from './outbox.ts';

const FLAGS = [
  {
    name: 'to',
    value: 'NAME',
    names: 'agent',
    summary: 'the agent that gets the mail (default: you)',
    parse: notBlank,
  },
  { name: 'list', summary: 'show those that have not come true yet' },
  { name: 'remove', value: 'ID', summary: 'remove one of them', parse: wholeNumber(1) },
] as const satisfies readonly Flag[];

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  if (input.flags.list) return list(input);
  if (input.flags.remove !== undefined) return remove(input, input.flags.remove);
  const [name, condition] = input.args;
  if (name === undefined || condition === undefined)
    throw invalid('name an agent, and what to wait for', {
      hint: 'for example: rouse notify-when ana idle --to ben',
    });
  if (!isCodeOf(WAIT_CONDITIONS, condition))
    throw invalid(`there is no condition ${JSON.stringify(condition)}`, {
      hint: `there are: ${codesOf(WAIT_CONDITIONS).join(', ')}`,
    });
  const recipient = await bindingOf(input, input.flags.to);
  const { agentId, agent, before } = await seen(input, name);
  const { addWait } = await import('../../notices/index.ts');
  const wanted = { agent_id: agentId, agent, condition, recipient, before };
  const added = (await withOutbox(input, ({ db }) => addWait(db, systemClock, wanted), { make: true }))!;
  await lookAgain(input);
  return {
    data: waitData(added),
    plain: `${input.flags.to ?? 'You'} will get mail once, when ${agent} ${WAIT_CONDITIONS[condition].words} (${added.id}).`,
  };
}

/** The agent as it is now: what happens from here on counts. */
async function seen(input: Input, given: string) {
  const { RosterFollower, waitedFor } = await import('../../session/index.ts');
  const name = bareAgentName(given);
  const follower = new RosterFollower(sessionContext(input), silentLog);
  try {
    const agent = (await follower.look()).find((each) => [each.name, each.called].includes(name));
    if (!agent)
      throw notFound(`there is no agent ${name}`, { hint: '"rouse ls" shows the agents there are' });
    return { agentId: agent.id, agent: name, before: waitedFor(agent, follower.glanceOf(agent.id)) };
  } finally {
    follower.stop();
  }
}

async function bindingOf(input: Input, to: string | undefined): Promise<Record<string, unknown>> {
  if (to !== undefined) {
    const { findTarget, requireLocal } = await import('../../session/index.ts');
    const target = await findTarget(sessionContext(input), { agentName: to });
    return activeBindingOf(input, requireLocal(target, 'notify-when'));
  }
  return {
    transport: 'filesystem',
    principal_id: OPERATOR.principal_id,
    address: OPERATOR.address,
    filesystem_root: input.settings.mailboxDir,
    bindings_version: 'operator',
  };
}

const waitData = ({
  id,
  agent,
  condition,
  recipient,
  created_at_utc,
  came_true_at_utc,
  failure,
}: StoredWait) => ({
  id,
  agent,
  condition,
  to: String(recipient['address']),
  created_at_utc,
  came_true_at_utc,
  failure,
});

async function list(input: Input): Promise<Output> {
  const { openWaits } = await import('../../notices/index.ts');
  const all = (await withOutbox(input, ({ db }) => openWaits(db).map(waitData))) ?? [];
  return {
    data: { waits: all },
    plain:
      all.length === 0
        ? 'Nothing is waited for.'
        : table(all, [
            { title: 'id', value: ({ id }) => id, right: true },
            { title: 'agent', value: ({ agent }) => agent },
            { title: 'when', value: ({ condition }) => condition },
            { title: 'to', value: ({ to }) => to },
            { title: 'trouble', value: ({ failure }) => failure },
          ]),
  };
}

async function remove(input: Input, id: number): Promise<Output> {
  const { removeWait } = await import('../../notices/index.ts');
  if (!(await withOutbox(input, ({ db }) => removeWait(db, id))))
    throw notFound(`nothing waits under ${id}`, { hint: '"rouse notify-when --list" shows what does' });
  await lookAgain(input);
  return { data: { id, status: 'removed' }, plain: `Removed ${id}.` };
}

export default command({
  ...FIRST_WORDS.notifyWhen,
  description:
    'The mail is sent exactly once, also when the host is restarted in between. What happens between this command and the ' +
    'next look counts too. Mail to an agent wakes it as any mail does.',
  examples: ['rouse notify-when ana idle --to ben', 'rouse notify-when ana gone', 'rouse notify-when --list'],
  args: [
    { name: 'agent', names: 'agent', summary: 'name of an agent of this host', optional: true },
    { name: 'condition', summary: 'what to wait for', choices: codesOf(WAIT_CONDITIONS), optional: true },
  ],
  flags: FLAGS,
  run,
});
