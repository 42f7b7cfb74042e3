import type { ListenerHost } from './listener.ts';
import { type ExecutionMode, modeElsewhere } from './words/execution-modes.ts';

export const GATEWAY_HEALTH = ['healthy', 'not_attached'] as const;
export const CONNECTIVITY = ['connected', 'unavailable'] as const;
export const RECOVERY = ['idle', 'awaiting_rebind', 'reconciliation_required'] as const;
export const ADMISSION = ['open', 'blocked_unavailable', 'blocked_reconciliation'] as const;
export const SURFACE_ELIGIBILITY = ['ready', 'unknown', 'not_ready'] as const;
export const EXECUTION = ['idle', 'running'] as const;

/** `running`: its tmux session lives. `lost`: it does not. `stale`: its record leads nowhere. */
export const SESSION_STATES = ['running', 'lost', 'stale'] as const;

/**
 * The gateway of a session, as `rouse agents list` finds it. `silent`: its process runs but does not answer.
 * `restarting`: it ended by itself and is being restarted. `down`: it ended too often and is not restarted.
 * `not_attached`: none was requested. `not_capable`: no gateway can serve this kind of session.
 */
export const LISTED_GATEWAYS = [
  'live',
  'silent',
  'restarting',
  'down',
  'not_attached',
  'not_capable',
] as const;

/** A gateway that does not run. `lost`: it should run, but nothing restarts it. */
export const ABSENT_GATEWAYS = ['restarting', 'down', 'lost', 'not_attached'] as const;

/** As the page shows it. `elsewhere`: on another host. */
export const SHOWN_GATEWAYS = ['live', ...ABSENT_GATEWAYS, 'elsewhere'] as const;

export type GatewayHealth = (typeof GATEWAY_HEALTH)[number];
export type Connectivity = (typeof CONNECTIVITY)[number];
export type Recovery = (typeof RECOVERY)[number];
export type Admission = (typeof ADMISSION)[number];
export type SurfaceEligibility = (typeof SURFACE_ELIGIBILITY)[number];
export type Execution = (typeof EXECUTION)[number];

export type SessionState = (typeof SESSION_STATES)[number];
export type ListedGateway = (typeof LISTED_GATEWAYS)[number];
export type AbsentGatewayState = (typeof ABSENT_GATEWAYS)[number];

/** The body of `GET /v1/status` and the content of state.json. */
export interface GatewayStatusCore {
  attach_identity: string;
  backend: string;
  tmux_session_name: string;
  gateway_health: GatewayHealth;
  managed_agent_connectivity: Connectivity;
  managed_agent_recovery: Recovery;
  request_admission: Admission;
  terminal_surface_eligibility: SurfaceEligibility;
  active_execution: Execution;
  execution_mode: ExecutionMode;
  queue_depth: number;
  gateway_host: ListenerHost | null;
  gateway_port: number | null;
  gateway_tmux_window_id: string | null;
  gateway_tmux_window_index: string | null;
  gateway_tmux_pane_id: string | null;
  managed_agent_instance_epoch: number;
  managed_agent_instance_id: string | null;
}

/** The fields of the source's own status. */
const CORE = {
  attach_identity: true,
  backend: true,
  tmux_session_name: true,
  gateway_health: true,
  managed_agent_connectivity: true,
  managed_agent_recovery: true,
  request_admission: true,
  terminal_surface_eligibility: true,
  active_execution: true,
  execution_mode: true,
  queue_depth: true,
  gateway_host: true,
  gateway_port: true,
  gateway_tmux_window_id: true,
  gateway_tmux_window_index: true,
  gateway_tmux_pane_id: true,
  managed_agent_instance_epoch: true,
  managed_agent_instance_id: true,
} satisfies Record<keyof GatewayStatusCore, true>;

/** A status as written to state.json, which other programs read. Our own additions are only served, not written. */
export function stateDocument<S extends GatewayStatusCore>(status: S): GatewayStatusCore & Versioned {
  const core = Object.fromEntries(Object.keys(CORE).map((field) => [field, status[field as keyof S]]));
  return {
    schema_version: 1,
    protocol_version: 'v1',
    ...(core as unknown as GatewayStatusCore),
    execution_mode: modeElsewhere(status.execution_mode),
  };
}

interface Versioned {
  schema_version: 1;
  protocol_version: 'v1';
}

export interface AdmissionFacts {
  connectivity: Connectivity;
  /** 1 for the first instance seen; one more for each other instance. */
  epoch: number;
  /** The newest epoch whose left-over work a person has decided about. The first epoch needs no decision. */
  reconciledEpoch?: number;
  /** For an agent that the fleet server runs: whether the server accepts a prompt now. */
  serverAccepts?: boolean;
}

/** Whether work is admitted, and what the agent needs before it is. */
export function deriveAdmission(facts: AdmissionFacts): { recovery: Recovery; admission: Admission } {
  if (facts.connectivity !== 'connected') {
    return { recovery: 'awaiting_rebind', admission: 'blocked_unavailable' };
  }
  if (facts.epoch > Math.max(1, facts.reconciledEpoch ?? 1)) {
    return { recovery: 'reconciliation_required', admission: 'blocked_reconciliation' };
  }
  return { recovery: 'idle', admission: facts.serverAccepts === false ? 'blocked_unavailable' : 'open' };
}

export interface InstanceContinuity {
  /** The last epoch recorded durably; 0 or absent if there is none. */
  previousEpoch?: number | undefined;
  previousInstanceId?: string | null | undefined;
  instanceId?: string | null | undefined;
}

/** The epoch of the instance seen now: unchanged if it is the same or either is unknown, else one more. */
export function nextEpoch({ previousEpoch, previousInstanceId, instanceId }: InstanceContinuity): number {
  const epoch = Math.max(1, previousEpoch ?? 0);
  return previousInstanceId && instanceId && previousInstanceId !== instanceId ? epoch + 1 : epoch;
}

export interface OfflineFacts {
  attachIdentity: string;
  backend: string;
  tmuxSessionName: string;
  executionMode: ExecutionMode;
  queueDepth: number;
  /** Carried over, so that an epoch survives detach and attach. 0 only before the first gateway. */
  epoch: number;
  instanceId?: string | null;
}

/** The status of a session that can have a gateway but has no live one. */
export function offlineStatus(facts: OfflineFacts): GatewayStatusCore {
  return {
    attach_identity: facts.attachIdentity,
    backend: facts.backend,
    tmux_session_name: facts.tmuxSessionName,
    gateway_health: 'not_attached',
    managed_agent_connectivity: 'unavailable',
    managed_agent_recovery: 'idle',
    request_admission: 'blocked_unavailable',
    terminal_surface_eligibility: 'unknown',
    active_execution: 'idle',
    execution_mode: facts.executionMode,
    queue_depth: facts.queueDepth,
    gateway_host: null,
    gateway_port: null,
    gateway_tmux_window_id: null,
    gateway_tmux_window_index: null,
    gateway_tmux_pane_id: null,
    managed_agent_instance_epoch: facts.epoch,
    managed_agent_instance_id: facts.instanceId ?? null,
  };
}
