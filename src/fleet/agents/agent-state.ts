import { isRouseError } from '../../base/index.ts';
import { GatewayClient } from '../../client/index.ts';
import { probeGateway, readToken, sessionPaths, showAgent } from '../../session/index.ts';
import type { AnswerOf, MANAGED_AGENT_ROUTES, TuiState } from '../../wire/index.ts';
import type { ManagedAgents } from './managed-agents.ts';
import { identityView, isServedHeadless, type TrackedAgent, transportOf } from './tracked-agent.ts';
import { turnViewOf } from './turns/turn-store.ts';

type Routes = typeof MANAGED_AGENT_ROUTES;
type State = AnswerOf<Routes['agents.state']>;
type Detail = AnswerOf<Routes['agents.state.detail']>['detail'];
type Shown = Awaited<ReturnType<typeof showAgent>>;

/** What an agent is doing, as far as somebody has looked: its gateway, or this server when it runs the turns itself. */
export async function agentState(agents: ManagedAgents, agent: TrackedAgent): Promise<State> {
  const { shown, seen } = await look(agents, agent);
  return stateOf(agent, shown, seen);
}

/** Everything: the state, the whole surface as its watcher describes it, processes and paths. */
export async function agentDetail(
  agents: ManagedAgents,
  agent: TrackedAgent,
): Promise<AnswerOf<Routes['agents.state.detail']>> {
  const { shown, seen } = await look(agents, agent);
  const detail = { transport: transportOf(agent.facts), observed_by: seen.source, surface: seen.surface };
  return { ...stateOf(agent, shown, seen), detail, agent: shown };
}

async function look(agents: ManagedAgents, agent: TrackedAgent): Promise<{ shown: Shown; seen: TurnState }> {
  const [shown, seen] = await Promise.all([showAgent(agents.session, agent.facts), turnState(agents, agent)]);
  return { shown, seen };
}

function stateOf(agent: TrackedAgent, shown: Shown, { turn, last_turn, source }: TurnState): State {
  return {
    schema_version: 1,
    tracked_agent_id: agent.trackedId,
    identity: identityView(agent),
    availability: isAvailable(agent, shown) ? 'available' : 'unavailable',
    session: shown.session,
    turn,
    last_turn,
    observed_by: source,
    gateway: shown.gateway,
    mailbox: shown.mailbox,
    notes: shown.notes,
  };
}

/** A tool that has ended leaves its window behind: the agent is there only while the tool is. */
function isAvailable({ facts }: TrackedAgent, shown: Shown): boolean {
  return shown.session === 'running' && (shown.process.tool_running || transportOf(facts) === 'headless');
}

interface TurnState {
  turn: State['turn'];
  last_turn: State['last_turn'];
  /** Nobody looks at a terminal without a gateway. */
  source: State['observed_by'];
  surface: Detail['surface'];
}

const UNSEEN: TurnState = {
  turn: { phase: 'unknown', active_turn_id: null },
  last_turn: null,
  source: null,
  surface: null,
};

async function turnState(agents: ManagedAgents, agent: TrackedAgent): Promise<TurnState> {
  try {
    return isServedHeadless(agent) ? await servedState(agents, agent) : await gatewayState(agents, agent);
  } catch (error) {
    if (isRouseError(error)) return UNSEEN;
    throw error;
  }
}

async function servedState(agents: ManagedAgents, agent: TrackedAgent): Promise<TurnState> {
  const turns = await agents.turnsOf(agent);
  const last = turns.all().at(-1);
  const active = turns.active;
  return {
    turn: { phase: active ? 'active' : 'ready', active_turn_id: active?.turn_id ?? null },
    last_turn: last ? { ...turnViewOf(last) } : null,
    source: 'server',
    surface: { ...turns.surface.headless?.state() },
  };
}

async function gatewayState(agents: ManagedAgents, agent: TrackedAgent): Promise<TurnState> {
  const client = await clientOf(agents, agent);
  if (!client) return UNSEEN;
  if (transportOf(agent.facts) === 'headless') {
    const state = await client.call('headless.state', {});
    const active = state.active_turn_id ?? null;
    const phase = active ? 'active' : 'ready';
    return {
      turn: { phase, active_turn_id: active },
      last_turn: null,
      source: 'gateway',
      surface: { ...state },
    };
  }
  // Another version's gateway may say less.
  const state: Partial<TuiState> = await client.tuiState();
  return {
    turn: { phase: state.turn?.phase ?? 'unknown', active_turn_id: null },
    last_turn: state.last_turn ?? null,
    source: 'gateway',
    surface: state,
  };
}

/** The agent's gateway, once it has proven to be the recorded one. */
export async function clientOf(
  { session }: ManagedAgents,
  { facts }: TrackedAgent,
): Promise<GatewayClient | undefined> {
  const paths = sessionPaths(facts.root);
  const token = readToken(paths, session.env);
  const life = await probeGateway(paths, token);
  if (life.life !== 'live') return undefined;
  return new GatewayClient({ host: life.gateway.host, port: life.gateway.port, token });
}
