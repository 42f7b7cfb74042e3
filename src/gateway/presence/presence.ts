import { utcStamp } from '../../base/index.ts';
import {
  type Admission,
  deriveAdmission,
  type ExecutionMode,
  type GatewayStatusCore,
  type GatewayTrouble,
  type ListenerHost,
  offlineStatus,
  type Recovery,
  reason,
  type Standing,
  standingOf,
  whyText,
} from '../../domain/index.ts';
import type { AgentSurface, OwnerView } from '../../terminal/index.ts';
import type { ActiveSource, FleetConnection, LastTurn, LoopTroubles, OwnerStatus } from '../../wire/index.ts';
import type { Execution, ExecutionSlot } from '../dispatch/index.ts';
import type { SessionPause } from '../pause/index.ts';
import type { InstanceRecord, InstanceStore, RequestQueue } from '../queue/index.ts';

export interface GatewayIdentity {
  attachIdentity: string;
  backend: string;
  agentName?: string | null | undefined;
  tool: string;
  tmuxSessionName: string;
  executionMode: ExecutionMode;
  host: string;
  port: number;
  window: { id: string; index: string; paneId: string } | null;
}

export interface PresenceDependencies {
  surface: AgentSurface;
  queue: RequestQueue;
  slot: ExecutionSlot;
  instances: InstanceStore;
  hold: SessionPause;
  identity: GatewayIdentity;
  /** The connection to the fleet server, for an agent that has one. */
  fleet?: () => FleetConnection | undefined;
  /** Automatic replies in a thread that is paused because of them. */
  mailLoop?: () => number | undefined;
  /** Whether the tool has another address for its mail tools than this gateway's, or was started without them. */
  toolsLost?: () => { elsewhere: boolean; missing: boolean };
  /** The loops that are failing now. */
  failing?: () => LoopTroubles;
  /** What prevents the gateway from working, worst first. */
  gatewayTroubles?: () => readonly GatewayTrouble[];
}

const STAMP = { schema_version: 1, protocol_version: 'v1' } as const;

type GatewayStatus = GatewayStatusCore &
  typeof STAMP & {
    active_source?: ActiveSource;
    last_turn?: LastTurn;
    fleet?: FleetConnection;
    cao?: OwnerStatus;
    troubles?: LoopTroubles;
    standing?: Standing;
  };

const SOURCES = {
  queue: 'queue',
  mail: 'mail_notifier',
  direct: 'direct_prompt',
  reminder: 'reminder',
} as const satisfies Record<Execution['source'], ActiveSource>;

/** The gateway's status, derived from what the other rooms know now. */
export class Presence {
  #deps: PresenceDependencies;
  #seenName: string | undefined;

  constructor(dependencies: PresenceDependencies) {
    this.#deps = dependencies;
  }

  instance(): InstanceRecord {
    const { instances, surface } = this.#deps;
    return instances.observe(surface.observation().instanceId);
  }

  epoch = (): number => this.instance().epoch;

  admission = (): Admission => this.door().admission;

  /** Whether requests are admitted, and for which agent process; both from one look. */
  door(): { admission: Admission; recovery: Recovery; epoch: number } {
    const { instances, surface } = this.#deps;
    const { connectivity, instanceId } = surface.observation();
    const { epoch, reconciled_epoch } = instances.observe(instanceId);
    return { epoch, ...deriveAdmission({ connectivity, epoch, reconciledEpoch: reconciled_epoch }) };
  }

  status(): GatewayStatus {
    const { surface, queue, slot, identity } = this.#deps;
    const observation = surface.observation();
    const { admission, recovery, epoch } = this.door();
    const fleet = this.#deps.fleet?.();
    const troubles = this.#deps.failing?.() ?? [];
    return {
      ...STAMP,
      attach_identity: identity.attachIdentity,
      backend: identity.backend,
      tmux_session_name: this.#sessionName(),
      gateway_health: 'healthy',
      managed_agent_connectivity: observation.connectivity,
      managed_agent_recovery: recovery,
      request_admission: admission,
      terminal_surface_eligibility: observation.eligibility,
      active_execution: slot.current ? 'running' : 'idle',
      ...(slot.current && { active_source: SOURCES[slot.current.source] }),
      ...(slot.last && { last_turn: turnOf(slot.last) }),
      execution_mode: identity.executionMode,
      queue_depth: queue.depth(),
      gateway_host: identity.host as ListenerHost,
      gateway_port: identity.port,
      gateway_tmux_window_id: identity.window?.id ?? null,
      gateway_tmux_window_index: identity.window?.index ?? null,
      gateway_tmux_pane_id: identity.window?.paneId ?? null,
      managed_agent_instance_epoch: epoch,
      managed_agent_instance_id: observation.instanceId,
      standing: this.standing(),
      ...(fleet && { fleet }),
      ...(observation.owner && { cao: ownerStatus(observation.owner) }),
      ...(troubles.length > 0 && { troubles }),
    };
  }

  /** The agent's standing in words, and what a person has to do. */
  standing(): Standing {
    const { surface, identity, hold, mailLoop, toolsLost, gatewayTroubles } = this.#deps;
    const { reasons, typing } = surface.observation();
    const lost = toolsLost?.();
    return standingOf({
      agent: identity.agentName,
      tool: identity.tool,
      reasons,
      typing,
      request_admission: this.admission(),
      mail_loop: mailLoop?.(),
      tools_elsewhere: lost?.elsewhere,
      tools_missing: lost?.missing,
      gateway_trouble: gatewayTroubles?.()[0],
      paused: hold.now(),
    });
  }

  /**
   * What prevents the gateway itself from starting something: a pause, admission, execution, depth; undefined if nothing
   * does.
   */
  blockedBy(): string | undefined {
    const held = this.#deps.hold.reason();
    if (held !== undefined) return held;
    const admission = this.admission();
    const execution = this.#deps.slot.current ? 'running' : 'idle';
    const depth = this.#deps.queue.depth();
    if (admission === 'open' && execution === 'idle' && depth === 0) return undefined;
    return whyText([
      reason('request_admission', admission),
      reason('active_execution', execution),
      reason('queue_depth', String(depth)),
    ]);
  }

  /** The content of state.json after this gateway has ended. */
  offline(): GatewayStatus {
    const { queue, instances, identity } = this.#deps;
    return {
      ...STAMP,
      ...offlineStatus({
        ...identity,
        tmuxSessionName: this.#sessionName(),
        queueDepth: queue.depth(),
        epoch: instances.read().epoch,
      }),
    };
  }

  /** As last seen: a session may be renamed while its gateway runs. */
  #sessionName(): string {
    this.#seenName = this.#deps.surface.observation().sessionName ?? this.#seenName;
    return this.#seenName ?? this.#deps.identity.tmuxSessionName;
  }
}

function ownerStatus({ state, status, detail, ...owner }: OwnerView): OwnerStatus {
  return {
    base_url: owner.baseUrl,
    terminal_id: owner.terminalId,
    window_name: owner.windowName,
    state,
    status,
    status_stale: owner.statusStale,
    detail,
  };
}

function turnOf({ source, id, since }: Execution): LastTurn {
  return { source: SOURCES[source], id, began_at_utc: utcStamp(since) };
}
