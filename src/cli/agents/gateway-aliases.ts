import * as path from 'node:path';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { attachOptions, LISTENER_FLAGS } from './flags/attach.ts';
import { attachWith, runDetach, runStatus } from './gateway.ts';
import type { TargetInput } from './target.ts';

/** Commands of older scripts: --agent-identity is the name of an agent or the path of its manifest. */
const IDENTITY_FLAGS = [
  {
    name: 'agent-identity',
    value: 'NAME',
    summary: 'name of the agent, or the absolute path of its manifest',
    required: true,
  },
  { name: 'agent-def-dir', value: 'DIR', summary: 'accepted and not needed', hidden: true },
] as const satisfies readonly Flag[];

async function targetInput(input: InputOf<typeof IDENTITY_FLAGS>): Promise<TargetInput> {
  const unnamed = { currentSession: undefined, targetTmuxSession: undefined, pairPort: undefined };
  return { ...input, flags: { ...unnamed, ...(await selector(input.flags.agentIdentity)) } };
}

async function selector(
  identity: string,
): Promise<{ agentName: string | undefined; agentId: string | undefined }> {
  if (!path.isAbsolute(identity)) return { agentName: identity, agentId: undefined };
  const { readManifestFacts } = await import('../../session/index.ts');
  return { agentName: undefined, agentId: readManifestFacts(identity).agentId };
}

const ATTACH_FLAGS = [
  ...IDENTITY_FLAGS,
  { name: 'foreground', summary: 'in a tmux window beside the agent' },
  { name: 'background', summary: 'run it as a detached process' },
  ...LISTENER_FLAGS,
] as const satisfies readonly Flag[];

async function runAttach(input: InputOf<typeof ATTACH_FLAGS>): Promise<Output> {
  return attachWith(
    await targetInput(input),
    attachOptions(input.flags, { ...input.flags, hosted: undefined }),
  );
}

export const attach = command({ ...FIRST_WORDS.attachGateway, flags: ATTACH_FLAGS, run: runAttach });

export const detach = command({
  ...FIRST_WORDS.detachGateway,
  flags: IDENTITY_FLAGS,
  run: async (input) => runDetach(await targetInput(input)),
});

export const status = command({
  ...FIRST_WORDS.gatewayStatus,
  flags: IDENTITY_FLAGS,
  run: async (input) => runStatus(await targetInput(input)),
});
