import type { RequestOutcome } from '../../domain/index.ts';
import type { ShownAgent } from '../../session/index.ts';
import type {
  AnswerOf,
  GatewayStatus,
  HeadlessState,
  MANAGED_AGENT_ROUTES,
  RequestView,
  TuiSnapshot,
  TuiState,
  TurnStatus,
  TurnView,
} from '../../wire/index.ts';

type Routes = typeof MANAGED_AGENT_ROUTES;
export type State = AnswerOf<Routes['agents.state']>;
type Detail = AnswerOf<Routes['agents.state.detail']>['detail'];
export type TuiDetail = Extract<Detail, { transport: 'tui' }>;
export type HeadlessDetail = Extract<Detail, { transport: 'headless' }>;
type LastTurn = State['last_turn'];
type Entry = AnswerOf<Routes['agents.history']>['entries'][number];

export const NO_TURN: LastTurn = { result: 'none', turn_id: null, turn_index: null, updated_at_utc: null };

const RESULTS: Readonly<Record<TurnStatus, LastTurn['result']>> = {
  active: 'none',
  completed: 'success',
  failed: 'known_failure',
  interrupted: 'interrupted',
  unknown: 'unknown',
};

/** A turn of a headless agent that ended. */
export const lastTurnOf = (turn: TurnView): LastTurn => ({
  result: RESULTS[turn.status],
  turn_id: turn.turn_id,
  turn_index: turn.turn_index,
  updated_at_utc: turn.finished_at_utc,
  turn,
});

export function gatewayOf(status: GatewayStatus, { gateway }: ShownAgent): State['gateway'] {
  return {
    gateway_health: status.gateway_health,
    managed_agent_connectivity: status.managed_agent_connectivity,
    managed_agent_recovery: status.managed_agent_recovery,
    request_admission: status.request_admission,
    active_execution: status.active_execution,
    queue_depth: status.queue_depth,
    gateway_host: status.gateway_host,
    gateway_port: status.gateway_port,
    pid: gateway.pid,
    execution_mode: gateway.execution_mode,
    window_id: gateway.window_id,
  };
}

/** Returns the agent's mailbox, by its binding. */
export function mailboxOf({ mailbox }: ShownAgent): State['mailbox'] {
  if (mailbox === null) return null;
  const { transport, principal_id, address } = mailbox as NonNullable<State['mailbox']>;
  return { transport, principal_id, address, binding: mailbox };
}

export const troublesOf = (notes: readonly string[]): State['diagnostics'] =>
  notes.map((message) => ({ kind: 'note', message, details: {} }));

/** A terminal that no one watches: only whether it exists is known. */
export function unseenScreen(
  { session, process }: ShownAgent,
  nowUtc: string,
): Pick<TuiState, 'diagnostics' | 'surface' | 'stability'> {
  return {
    diagnostics: {
      availability: 'unknown',
      transport_state: session === 'running' ? 'tmux_up' : 'tmux_missing',
      process_state: process.tool_running ? 'tui_up' : 'unknown',
      parse_status: 'transport_unavailable',
      probe_error: null,
      parse_error: null,
    },
    surface: { accepting_input: 'unknown', editing_input: 'unknown', ready_posture: 'unknown' },
    stability: { signature: '', stable: false, stable_for_seconds: 0, stable_since_utc: nowUtc },
  };
}

type HeadlessPart = Pick<
  HeadlessDetail,
  'runtime_resumable' | 'tmux_session_live' | 'can_accept_prompt_now' | 'interruptible' | 'chat_session'
>;

/** A headless agent that cannot be asked accepts nothing here. */
export function headlessPart(seen: Partial<HeadlessState> | null, { session }: ShownAgent): HeadlessPart {
  return {
    runtime_resumable: seen?.runtime_resumable ?? session === 'running',
    tmux_session_live: seen?.tmux_session_live ?? session === 'running',
    can_accept_prompt_now: seen?.can_accept_prompt_now ?? false,
    interruptible: seen?.interruptible ?? false,
    chat_session: seen?.chat_session ?? null,
  };
}

/** What the turn records add to the state; empty if a gateway runs the turns. */
export function headlessTurns(active: TurnView | undefined, last: TurnView | undefined) {
  return {
    active_turn_started_at_utc: active?.started_at_utc ?? null,
    active_turn_interrupt_requested_at_utc: null,
    last_turn_status: last?.status ?? null,
    last_turn_started_at_utc: last?.started_at_utc ?? null,
    last_turn_completed_at_utc: last?.completed_at_utc ?? null,
    last_turn_completion_source: last?.completion_source ?? null,
    last_turn_returncode: last?.returncode ?? null,
    last_turn_history_summary: last?.history_summary ?? null,
    last_turn_error: last?.error ?? null,
  } satisfies Partial<HeadlessDetail>;
}

export const turnEntry = (turn: TurnView): Entry => ({
  recorded_at_utc: turn.finished_at_utc ?? turn.accepted_at_utc,
  summary: `turn ${turn.turn_index}: ${turn.status}`,
  availability: 'available',
  turn_phase: turn.status === 'active' ? 'active' : 'ready',
  last_turn_result: RESULTS[turn.status],
  turn_id: turn.turn_id,
  turn,
});

const OUTCOMES: Readonly<Record<RequestOutcome, LastTurn['result']>> = {
  submitted: 'success',
  cancelled: 'interrupted',
  failed: 'known_failure',
  unconfirmed: 'unknown',
  refused: 'unknown',
  expired: 'unknown',
  superseded: 'unknown',
  coalesced: 'unknown',
};

/** For a headless agent: its gateway's request ends with its turn. */
export const requestEntry = (request: RequestView): Entry => ({
  recorded_at_utc: request.finished_at_utc ?? request.accepted_at_utc,
  summary: `${request.request_kind}: ${request.outcome ?? request.state}`,
  availability: 'available',
  turn_phase: request.state === 'running' ? 'active' : 'ready',
  last_turn_result: request.outcome === null ? 'none' : OUTCOMES[request.outcome],
  turn_id: null,
  request,
});

const AVAILABILITY: Partial<Record<TuiState['diagnostics']['availability'], Entry['availability']>> = {
  available: 'available',
  error: 'error',
};

export const screenEntry = (screen: TuiSnapshot): Entry => ({
  recorded_at_utc: screen.recorded_at_utc,
  summary: `turn ${screen.turn.phase}, last turn ${screen.last_turn.result}`,
  availability: AVAILABILITY[screen.diagnostics.availability] ?? 'unavailable',
  turn_phase: screen.turn.phase,
  last_turn_result: screen.last_turn.result,
  turn_id: null,
  screen,
});
