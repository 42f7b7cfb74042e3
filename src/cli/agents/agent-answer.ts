import type { Output } from '../command.ts';

/** What a fleet server did with an agent, as the same command shows it for an agent of this host. */
export function agentAnswer(data: Record<string, unknown>): Output {
  const notes = Array.isArray(data['notes']) ? data['notes'] : [];
  const lines = [`${data['agent_name']}: ${data['detail']}`, ...notes.map((note) => `note: ${note}`)];
  return { data, plain: lines.join('\n') };
}
