import type { FleetTarget } from '../../session/index.ts';
import type { Output } from '../command.ts';

/** Shows what a fleet server did with an agent as the same command shows it for an agent of this host. */
export function agentAnswer(data: Record<string, unknown>, server?: FleetTarget): Output {
  const notes = Array.isArray(data['notes']) ? data['notes'] : [];
  // No manifest of this home knows the agent, so the server is named.
  const where = server && !server.facts ? ` (of the server at ${server.baseUrl})` : '';
  const lines = [`${data['agent_name']}${where}: ${data['detail']}`, ...notes.map((note) => `note: ${note}`)];
  return { data, plain: lines.join('\n') };
}
