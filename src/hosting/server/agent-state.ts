import { commandLine, isRouseError, unavailable, utcStamp } from '../../base/index.ts';
import { GatewayClient } from '../../client/index.ts';
import {
  comesBack,
  type GatewayLife,
  lookAtAgent,
  probeGateway,
  readToken,
  type ShownAgent,
  sessionPaths,
} from '../../session/index.ts';
import {
  type AnswerOf,
  CARRIED_ROUTES,
  fillPath,
  type GatewayStatus,
  type HeadlessState,
  type MANAGED_AGENT_ROUTES,
  type TuiState,
  type TurnView,
} from '../../wire/index.ts';
import {
  gatewayOf,
  type HeadlessDetail,
  headlessPart,
  headlessTurns,
  lastTurnOf,
  mailboxOf,
  NO_TURN,
  type State,
  type TuiDetail,
  troublesOf,
  unseenScreen,
} from './agent-views.ts';
import type { ManagedAgents } from './managed-agents.ts';
import {
  identityView,
  isServedHeadless,
  type TrackedAgent,
  terminalIdOf,
  transportOf,
} from './tracked-agent.ts';
import { turnViewOf } from './turns/turn-view.ts';

type DetailAnswer = AnswerOf<(typeof MANAGED_AGENT_ROUTES)['agents.state.detail']>;

interface AgentLook {
  shown: ShownAgent;
  status: GatewayStatus;
  seen: TurnState;
}

/** Returns what an agent is doing, as seen by its gateway, or by this server if it runs the turns itself. */
export async function agentState(agents: ManagedAgents, agent: TrackedAgent): Promise<State> {
  return stateOf(agent, await look(agents, agent));
}

/** Returns everything: the state, the whole surface as its watcher describes it, processes and paths. */
export async function agentDetail(agents: ManagedAgents, agent: TrackedAgent): Promise<DetailAnswer> {
  const looked = await look(agents, agent);
  const state = stateOf(agent, looked);
  const detail =
    transportOf(agent.facts) === 'tui'
      ? tuiDetail(agent, looked, utcStamp(agents.session.clock.now()))
      : headlessDetail(state, looked);
  return { ...state, summary_state: state, detail, agent: looked.shown };
}

async function look(agents: ManagedAgents, agent: TrackedAgent): Promise<AgentLook> {
  const [looked, seen] = await Promise.all([
    lookAtAgent(agents.session, agent.facts),
    turnState(agents, agent),
  ]);
  return { ...looked, seen };
}

function stateOf(agent: TrackedAgent, { shown, status, seen }: AgentLook): State {
  return {
    schema_version: 1,
    tracked_agent_id: agent.trackedId,
    identity: identityView(agent),
    availability: isAvailable(agent, shown) ? 'available' : 'unavailable',
    session: shown.session,
    turn: seen.turn,
    last_turn: seen.last_turn,
    diagnostics: troublesOf(shown.notes),
    observed_by: seen.source,
    gateway: gatewayOf(status, shown),
    mailbox: mailboxOf(shown),
    ...{ memory_root: null, memo_file: null, pages_dir: null },
    notes: shown.notes,
  };
}

/** Routes that show the screen of an agent. */
const TUI = {
  state: CARRIED_ROUTES['agents.gateway.tui.state'].path,
  history: CARRIED_ROUTES['agents.gateway.tui.history'].path,
};

function tuiDetail(
  { trackedId, facts }: TrackedAgent,
  { shown, seen }: AgentLook,
  nowUtc: string,
): TuiDetail {
  const screen = seen.screen ?? {};
  return {
    transport: 'tui',
    terminal_id: screen.terminal_id ?? terminalIdOf(facts) ?? trackedId,
    canonical_terminal_state_route: fillPath(TUI.state, () => trackedId),
    canonical_terminal_history_route: fillPath(TUI.history, () => trackedId),
    ...unseenScreen(shown, nowUtc),
    ...(screen.diagnostics && { diagnostics: screen.diagnostics }),
    ...(screen.surface && { surface: screen.surface }),
    ...(screen.stability && { stability: screen.stability }),
    probe_snapshot: screen.probe_snapshot ?? null,
    parsed_surface: screen.parsed_surface ?? null,
    observed_by: seen.source,
    seen: seen.screen ? { ...seen.screen } : null,
  };
}

function headlessDetail(state: State, { shown, seen }: AgentLook): HeadlessDetail {
  const { turn, last_turn, mailbox, gateway, diagnostics, observed_by } = state;
  return {
    transport: 'headless',
    ...headlessPart(seen.headless, shown),
    ...{ turn, last_turn, mailbox, gateway, diagnostics, observed_by },
    ...headlessTurns(seen.activeTurn, seen.lastTurn),
    seen: seen.headless ? { ...seen.headless } : null,
  };
}

/** A tool that has ended leaves its window behind. The agent is available only while its tool runs. */
function isAvailable({ facts }: TrackedAgent, shown: ShownAgent): boolean {
  return shown.session === 'running' && (shown.process.tool_running || transportOf(facts) === 'headless');
}

interface TurnState {
  turn: State['turn'];
  last_turn: State['last_turn'];
  /** Without a gateway, no one watches a terminal. */
  source: State['observed_by'];
  screen: Partial<TuiState> | null;
  headless: Partial<HeadlessState> | null;
  /** For turns that this server runs. */
  activeTurn?: TurnView | undefined;
  lastTurn?: TurnView | undefined;
}

const UNSEEN: TurnState = {
  turn: { phase: 'unknown', active_turn_id: null },
  last_turn: { ...NO_TURN, result: 'unknown' },
  source: null,
  screen: null,
  headless: null,
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
  const { active } = turns;
  const last = turns.all().findLast(({ status }) => status !== 'active');
  const activeTurn = active && turnViewOf(active, agent.facts.root);
  const lastTurn = last && turnViewOf(last, agent.facts.root);
  return {
    turn: { phase: active ? 'active' : 'ready', active_turn_id: active?.turn_id ?? null },
    last_turn: lastTurn ? lastTurnOf(lastTurn) : NO_TURN,
    source: 'server',
    screen: null,
    headless: turns.surface.headless?.state() ?? null,
    activeTurn,
    lastTurn,
  };
}

async function gatewayState(agents: ManagedAgents, agent: TrackedAgent): Promise<TurnState> {
  const client = await clientOf(agents, agent);
  if (!client) return UNSEEN;
  if (transportOf(agent.facts) === 'headless') {
    const headless = await client.call('headless.state', {});
    const active = headless.active_turn_id ?? null;
    const turn = { phase: active ? 'active' : 'ready', active_turn_id: active } as const;
    return { turn, last_turn: UNSEEN.last_turn, source: 'gateway', screen: null, headless };
  }
  // A gateway of another version may report less.
  const screen: Partial<TuiState> = await client.tuiState();
  const { result, source, updated_at_utc = null } = screen.last_turn ?? UNSEEN.last_turn;
  return {
    turn: { phase: screen.turn?.phase ?? 'unknown', active_turn_id: null },
    last_turn: { ...NO_TURN, result, updated_at_utc, ...(source && { source }) },
    source: 'gateway',
    screen,
    headless: null,
  };
}

/** Returns the agent's gateway, once it has proven to be the recorded one. */
export async function clientOf(
  agents: ManagedAgents,
  agent: TrackedAgent,
): Promise<GatewayClient | undefined> {
  const found = await probed(agents, agent);
  return found instanceof GatewayClient ? found : undefined;
}

/**
 * Returns the gateway that must queue requests for the agent, with a longer wait. Undefined only if none is attached: a
 * gateway that is slow, restarting or was killed is not bypassed, because what it has queued comes first. A look at the
 * status may have cleared away the record of a killed one; it is still wanted until it is detached.
 */
export async function queueOf(
  agents: ManagedAgents,
  agent: TrackedAgent,
): Promise<GatewayClient | undefined> {
  const found = await probed(agents, agent, PATIENCE_MS);
  if (found instanceof GatewayClient) return found;
  if (found.life === 'live' || (found.life === 'none' && !comesBack(sessionPaths(agent.facts.root))))
    return undefined;
  const name = agent.facts.agentName;
  const reason = found.life === 'none' ? 'it is gone' : found.reason;
  throw unavailable(`the gateway of ${name} does not answer: ${reason}`, {
    hint:
      found.life === 'none' || found.life === 'dead'
        ? commandLine`nothing was done; "rouse agents gateway attach ${name}" starts it again, "rouse agents gateway detach ${name}" does without it`
        : 'nothing was done; try again',
    facts: { cause: 'gateway_unreachable' },
  });
}

const PATIENCE_MS = 10_000;

async function probed(
  { session }: ManagedAgents,
  { facts }: TrackedAgent,
  patienceMs?: number,
): Promise<GatewayClient | GatewayLife> {
  const paths = sessionPaths(facts.root);
  const token = readToken(paths, session.env);
  const life = await probeGateway(paths, token, patienceMs);
  if (life.life !== 'live') return life;
  return new GatewayClient({ host: life.gateway.host, port: life.gateway.port, token });
}
