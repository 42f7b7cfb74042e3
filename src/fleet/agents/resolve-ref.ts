import { conflict, nearest, notFound } from '../../base/index.ts';
import { bareAgentName } from '../../domain/index.ts';
import { type TrackedAgent, terminalIdOf } from './tracked-agent.ts';

/**
 * Which agent a reference means: tracked id, session name, terminal alias, agent id, or agent name in either spelling.
 * One that fits several agents, in whatever way, is refused: nobody is typed to by guess.
 */
export function resolveRef(ref: string, agents: readonly TrackedAgent[]): TrackedAgent {
  const found = agents.filter((agent) => namesOf(agent).includes(ref) || hasName(agent, ref));
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw unknown(ref, agents);
  const agentIds = [...new Set(found.map(({ facts }) => facts.agentId))].sort();
  throw conflict(`"${ref}" is the reference of ${found.length} agents`, {
    hint: `say which by its tracked id: ${found.map(({ trackedId }) => trackedId).join(', ')}`,
    facts: {
      cause: 'ambiguous',
      agent_ids: agentIds,
      tracked_agent_ids: found.map(({ trackedId }) => trackedId),
    },
  });
}

function namesOf({ trackedId, facts }: TrackedAgent): (string | null)[] {
  const { tmuxSessionName, sessionId, agentId, serverAgentRef } = facts;
  // The reference in its manifest is the name its session once had; a person may have renamed that since.
  return [trackedId, tmuxSessionName, serverAgentRef ?? null, sessionId, terminalIdOf(facts), agentId];
}

function hasName({ facts }: TrackedAgent, ref: string): boolean {
  return bareAgentName(facts.agentName) === bareAgentName(ref);
}

function unknown(ref: string, agents: readonly TrackedAgent[]): Error {
  const [close] = nearest(
    ref,
    agents.map(({ facts }) => facts.agentName),
  );
  return notFound(`this server knows no agent "${ref.slice(0, 200)}"`, {
    hint: close ? `did you mean "${close}"?` : 'GET /houmao/agents lists them',
    facts: { cause: 'unknown_agent' },
  });
}
