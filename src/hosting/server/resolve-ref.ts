import { conflict, nearest, notFound } from '../../base/index.ts';
import { bareAgentName } from '../../domain/index.ts';
import { type TrackedAgent, terminalIdOf } from './tracked-agent.ts';

/**
 * Returns the agent that a reference means: tracked id, session name, terminal alias, agent id, or agent name in either
 * spelling. A reference that matches several agents, in whatever way, is refused: Rouse never guesses whom to type to.
 */
export function resolveRef(ref: string, agents: readonly TrackedAgent[]): TrackedAgent {
  const found = agents.filter((agent) => namesOf(agent).includes(ref) || hasName(agent, ref));
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw unknown(ref, agents);
  const agentIds = [...new Set(found.map(({ facts }) => facts.agentId))].sort();
  throw conflict(`"${ref}" matches ${found.length} agents`, {
    hint: `use a tracked id: ${found.map(({ trackedId }) => trackedId).join(', ')}`,
    facts: {
      cause: 'ambiguous',
      agent_ids: agentIds,
      tracked_agent_ids: found.map(({ trackedId }) => trackedId),
    },
  });
}

function namesOf({ trackedId, facts }: TrackedAgent): (string | null)[] {
  const { tmuxSessionName, sessionId, agentId, serverAgentRef } = facts;
  // The manifest's reference is the session's first name; a person may have renamed the session since.
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
