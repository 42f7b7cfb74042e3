import { command, type Output } from '../command.ts';
import { keyValues } from '../print/table.ts';
import { severalAgents } from './several-agents.ts';
import { GATEWAY_TARGET_FLAGS, sessionContext, type TargetInput, targetOf } from './target.ts';

async function run(input: TargetInput): Promise<Output> {
  const target = await targetOf(input);
  const { fleetActions, showAgent } = await import('../../session/index.ts');
  const agent =
    target.kind === 'fleet'
      ? await (await fleetActions()).showAtFleet(target)
      : await showAgent(sessionContext(input), target.facts);
  return { data: agent, plain: keyValues(flatten(agent)) };
}

/** `gateway.port  4711`: one line per fact. */
function flatten(value: Record<string, unknown>, prefix = ''): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.entries(flatten(inner as Record<string, unknown>, `${prefix}${key}.`))
        : [[`${prefix}${key}`, inner]],
    ),
  );
}

const show = severalAgents(
  command({
    name: 'show',
    summary: 'everything about one agent: processes, paths, mailbox, gateway',
    examples: ['rouse agents show --agent-name gpu --print-json'],
    flags: GATEWAY_TARGET_FLAGS,
    run,
  }),
);

export default show;
