import * as path from 'node:path';
import type { Command, Flag, Input, Output } from '../command.ts';
import { LISTENER_FLAGS } from './attach-flags.ts';
import { runAttach, runDetach, runStatus } from './gateway.ts';

const IDENTITY: Flag = {
  name: 'agent-identity',
  value: 'NAME',
  summary: 'name of the agent, or the absolute path of its manifest',
  required: true,
};

type Run = (input: Input) => Promise<Output>;

/** Older spellings: the agent is named by --agent-identity, which may also be the path of a manifest. */
function renamed(name: string, run: Run, flags: Flag[] = []): Command {
  return {
    name,
    summary: `older spelling of "agents gateway ${name.replace('gateway', '').replace('-', '')}"`,
    hidden: true,
    flags: [
      IDENTITY,
      { name: 'agent-def-dir', value: 'DIR', summary: 'accepted and not needed', hidden: true },
      ...flags,
    ],
    run: async (input) => run({ ...input, flags: { ...input.flags, ...(await selector(input)) } }),
  };
}

async function selector(input: Input): Promise<Record<string, unknown>> {
  const identity = String(input.flags['agentIdentity']);
  if (!path.isAbsolute(identity)) return { agentName: identity };
  const { readManifestFacts } = await import('../../session/index.ts');
  return { agentId: readManifestFacts(identity).agentId };
}

export const GATEWAY_ALIASES: Command[] = [
  renamed('attach-gateway', runAttach, [
    { name: 'foreground', summary: 'in a tmux window beside the agent' },
    { name: 'background', summary: 'run it as a detached process' },
    ...LISTENER_FLAGS,
  ]),
  renamed('detach-gateway', runDetach),
  renamed('gateway-status', runStatus),
];
