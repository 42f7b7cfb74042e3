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

const mail: Command = {
  name: 'mail',
  summary: "the agent's mail: list, read, send, reply, archive, search",
  subcommands: [RESOLVE_LIVE, ...mailCommands(AGENT_DOOR), outbox],
};

export default mail;
