import { systemClock } from '../../base/index.ts';
import { projectMembers } from '../../config/index.ts';
import type { ManifestFacts, SelectorFlags, SessionContext, Target } from '../../session/index.ts';
import type { Flag, Input, InputOf } from '../command.ts';
import { wholeNumber } from '../input/flag-values.ts';
import { workingDirectory } from '../settings.ts';

/** Which agent of this host. */
export const AGENT_FLAGS = [
  { name: 'agent-name', word: 'agent', value: 'NAME', names: 'agent', summary: 'the agent of this name' },
  { name: 'agent-id', value: 'ID', summary: 'the agent with this id' },
  { name: 'current-session', summary: 'the agent whose tmux session this runs in; implied there' },
  { name: 'target-tmux-session', value: 'SESSION', summary: 'the agent of this tmux session' },
] as const satisfies readonly Flag[];

export const PAIR_PORT = {
  name: 'pair-port',
  value: 'PORT',
  summary: 'ask the fleet server on this port; only with --agent-name or --agent-id',
  parse: wholeNumber(1, 65_535),
} as const satisfies Flag;

/** Which agent, here or behind a fleet server. */
export const GATEWAY_TARGET_FLAGS = [...AGENT_FLAGS, PAIR_PORT] as const satisfies readonly Flag[];

export type AgentInput = InputOf<typeof AGENT_FLAGS>;
export type TargetInput = InputOf<typeof GATEWAY_TARGET_FLAGS>;

export function sessionContext(input: Input): SessionContext {
  const { settings, env, signal, progress } = input;
  const here = { directory: workingDirectory(), members: projectMembers(settings.config) };
  return { settings, env, clock: systemClock, here, signal, progress };
}

export async function targetOf(input: TargetInput): Promise<Target> {
  const { findTarget } = await import('../../session/index.ts');
  const target = await findTarget(sessionContext(input), selectorOf(input));
  // The user did not name that server, so say where the command acts.
  if (target.kind === 'fleet' && !target.facts && input.flags.pairPort === undefined)
    input.err(
      `note: ${target.agentRef} is not of this home; it is an agent of the server at ${target.baseUrl}\n`,
    );
  return target;
}

/** The flags that select the agent. */
export function selectorOf({ flags, worded }: TargetInput): SelectorFlags {
  const { agentName, agentId, currentSession, targetTmuxSession, pairPort } = flags;
  const called = worded?.has('agentName');
  return { agentName, called, agentId, currentSession, targetTmuxSession, pairPort };
}

export async function localAgent(input: AgentInput, action: string): Promise<ManifestFacts> {
  const { requireLocal } = await import('../../session/index.ts');
  return requireLocal(await targetOf(onThisHost(input)), action);
}

/** A command without --pair-port means an agent of this host. */
export function onThisHost(input: AgentInput): TargetInput {
  return { ...input, flags: { ...input.flags, pairPort: undefined } };
}
