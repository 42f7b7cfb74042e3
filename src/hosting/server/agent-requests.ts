import { unsupported } from '../../base/index.ts';
import { isHeadless, newRequestId, reasonTexts, whyText } from '../../domain/index.ts';
import { controlDirectly, type DeliveryResult } from '../../session/index.ts';
import {
  type AgentRequestBody,
  type AnswerOf,
  type MANAGED_AGENT_ROUTES,
  type RequestAccepted,
  refusal,
} from '../../wire/index.ts';
import { queueOf } from './agent-state.ts';
import type { ManagedAgents } from './managed-agents.ts';
import { isServedHeadless, type TrackedAgent } from './tracked-agent.ts';

type AgentRequestAnswer = AnswerOf<(typeof MANAGED_AGENT_ROUTES)['agents.requests']>;
/** The answer without the agent's id. */
type RequestResult = Omit<AgentRequestAnswer, 'success' | 'tracked_agent_id'>;

/**
 * Sends a prompt or an interrupt to any kind of agent. A headless agent of this server runs it as a turn; otherwise its
 * gateway queues it; without a gateway it goes through the lane of the session, now or not at all.
 */
export async function requestAgent(
  agents: ManagedAgents,
  agent: TrackedAgent,
  body: AgentRequestBody,
): Promise<AgentRequestAnswer> {
  return { success: true, tracked_agent_id: agent.trackedId, ...(await taken(agents, agent, body)) };
}

async function taken(
  agents: ManagedAgents,
  agent: TrackedAgent,
  body: AgentRequestBody,
): Promise<RequestResult> {
  if (isServedHeadless(agent)) return byServer(agents, agent, body);
  const client = await queueOf(agents, agent);
  if (client) {
    const accepted = await (body.request_kind === 'interrupt'
      ? client.interrupt()
      : client.submitPrompt({ prompt: body.prompt, ...(body.execution && { execution: body.execution }) }));
    return byGateway(body, accepted);
  }
  return byTerminal(agents, agent, body);
}

async function byServer(
  agents: ManagedAgents,
  agent: TrackedAgent,
  body: AgentRequestBody,
): Promise<RequestResult> {
  const turns = await agents.turnsOf(agent);
  const requestId = newRequestId(agents.session.clock.now());
  if (body.request_kind === 'interrupt') {
    const turn = await turns.interrupt(requestId);
    const detail = turn ? `turn ${turn.turn_id} is being ended` : 'no turn is running';
    return answer(body, { request_id: requestId, disposition: turn ? 'accepted' : 'no_op', detail, turn });
  }
  // If a gateway is attached, what it has queued for the agent comes first.
  await queueOf(agents, agent);
  const { prompt, execution } = body;
  const { turn } = turns.accept({ prompt, execution, requestId });
  return answer(body, { request_id: requestId, detail: 'the turn is running', turn });
}

function byGateway(body: AgentRequestBody, { request_id }: RequestAccepted): RequestResult {
  return answer(body, { request_id, taken_by: 'gateway', detail: 'queued by the gateway' });
}

async function byTerminal(
  agents: ManagedAgents,
  { facts }: TrackedAgent,
  body: AgentRequestBody,
): Promise<RequestResult> {
  if (body.request_kind === 'submit_prompt' && isHeadless(facts.backend)) {
    throw unsupported(`agent ${facts.agentName} is headless, and this server does not run its turns`, {
      hint: 'attach a gateway, which does',
    });
  }
  if (body.request_kind === 'submit_prompt' && body.execution)
    throw refusal('invalid_execution', 'execution: a TUI agent does not take a model override');
  const result = await controlDirectly(
    agents.session,
    facts,
    body.request_kind === 'interrupt'
      ? { kind: 'interrupt' }
      : { kind: 'prompt', text: body.prompt, policy: 'ready_only' },
  );
  if (result.outcome !== 'submitted') throw refused(result);
  const detail = body.request_kind === 'interrupt' ? 'the interrupt was sent' : 'the prompt was submitted';
  const request_id = newRequestId(agents.session.clock.now());
  return answer(body, { request_id, taken_by: 'terminal', detail });
}

function refused({ outcome, reasons, untouched }: DeliveryResult): Error {
  const name = outcome === 'not_ready' ? 'not_ready' : 'dispatch_failed';
  return refusal(name, whyText(reasons, '; ') ?? outcome, {
    facts: { outcome, reasons: reasonTexts(reasons), untouched },
  });
}

function answer(
  { request_kind }: AgentRequestBody,
  result: Pick<RequestResult, 'request_id' | 'detail'> &
    Partial<Pick<RequestResult, 'disposition' | 'taken_by'>> & {
      turn?: { turn_id: string; turn_index: number } | undefined;
    },
): RequestResult {
  return {
    schema_version: 1,
    request_id: result.request_id,
    request_kind,
    disposition: result.disposition ?? 'accepted',
    taken_by: result.taken_by ?? 'server',
    headless_turn_id: result.turn?.turn_id ?? null,
    headless_turn_index: result.turn?.turn_index ?? null,
    detail: result.detail,
  };
}
