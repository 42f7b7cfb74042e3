import { systemClock } from '../../base/index.ts';
import type { ManifestFacts, SelectorFlags, SessionContext, Target } from '../../session/index.ts';
import type { Flag, Input } from '../command.ts';
import { wholeNumber } from '../input/flag-values.ts';

/** Which agent of this host. */
export const AGENT_FLAGS: Flag[] = [
  { name: 'agent-name', value: 'NAME', summary: 'the agent of this name' },
  { name: 'agent-id', value: 'ID', summary: 'the agent with this id' },
  { name: 'current-session', summary: 'the agent whose tmux session this runs in; implied there' },
  { name: 'target-tmux-session', value: 'SESSION', summary: 'the agent of this tmux session' },
];

export const PAIR_PORT: Flag = {
  name: 'pair-port',
  value: 'PORT',
  summary: 'ask the fleet server on this port; only with --agent-name or --agent-id',
  parse: wholeNumber(1, 65_535),
};

/** Which agent, here or behind a fleet server. */
export const GATEWAY_TARGET_FLAGS: Flag[] = [...AGENT_FLAGS, PAIR_PORT];

export function sessionContext(input: Input): SessionContext {
  const { settings, env, signal, progress } = input;
  return { settings, env, clock: systemClock, signal, progress };
}

export async function targetOf(input: Input): Promise<Target> {
  const { findTarget } = await import('../../session/index.ts');
  return findTarget(sessionContext(input), input.flags as SelectorFlags);
}

export async function localAgent(input: Input, action: string): Promise<ManifestFacts> {
  const { requireLocal } = await import('../../session/index.ts');
  return requireLocal(await targetOf(input), action);
}
