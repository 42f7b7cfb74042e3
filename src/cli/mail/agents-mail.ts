import { GATEWAY_TARGET_FLAGS, sessionContext, type TargetInput, targetOf } from '../agents/target.ts';
import { type Command, command, type Output } from '../command.ts';
import { keyValues } from '../print/table.ts';
import { AGENT_DOOR } from './agent-door.ts';
import { mailCommands } from './commands.ts';
import { outbox } from './outbox.ts';

async function resolveLive(input: TargetInput): Promise<Output> {
  const target = await targetOf(input);
  const { agentMail, fleetActions } = await import('../../session/index.ts');
  const data =
    target.kind === 'fleet'
      ? await (await fleetActions()).resolveMailAtFleet(target)
      : await (await agentMail()).resolveLiveMail(sessionContext(input), target.facts.path);
  const gateway = data['gateway'] as { base_url: string } | null;
  return {
    data,
    plain: keyValues({
      address: data['address'],
      transport: data['transport'],
      principal_id: data['principal_id'],
      gateway: gateway?.base_url ?? null,
    }),
  };
}

export const RESOLVE_LIVE = command({
  name: 'resolve-live',
  summary: "where the agent's mail is, and which live gateway serves it",
  examples: ['rouse agents mail resolve-live --agent-name gpu --print-json'],
  flags: GATEWAY_TARGET_FLAGS,
  run: resolveLive,
});

/** In `search ana release`, the first word may be the agent; inside a session all words are looked for. */
function agentFirst(search: Command): Command {
  return {
    ...search,
    run: async (input) => {
      const { flags, args, settings, env } = input as TargetInput;
      const { hasAgent, isInsideTmux, nameOnMachine } = await import('../../session/index.ts');
      const [first = '', ...rest] = args;
      const isNamed = [flags.agentName, flags.agentId, flags.targetTmuxSession].some(Boolean);
      if (isNamed || rest.length === 0 || isInsideTmux(env)) return search.run!(input);
      const agentName = nameOnMachine(sessionContext(input), first);
      if (!hasAgent(settings.registryDir, agentName)) return search.run!(input);
      return search.run!({ ...input, args: rest, flags: { ...flags, agentName } });
    },
  };
}

const mail: Command = {
  name: 'mail',
  summary: "the agent's mail: list, read, send, reply, archive, search",
  subcommands: [
    RESOLVE_LIVE,
    ...mailCommands(AGENT_DOOR).map((each) => (each.name === 'search' ? agentFirst(each) : each)),
    outbox,
  ],
};

export default mail;
