import {
  isProcessAlive,
  messageOf,
  type ProcessIdentity,
  readIfExists,
  readObjectIfAny,
} from '../../base/index.ts';
import { GatewayClient } from '../../client/index.ts';
import {
  AGENT_WINDOW_INDEX,
  EXECUTION_MODES,
  type ExecutionMode,
  isCodeOf,
  type PartialTimings,
} from '../../domain/index.ts';
import { besideOf, INSTANCE_BY, joinedFile } from '../../wire/files/beside.ts';
import { isKept } from './keeper.ts';
import type { SessionPaths } from './session-paths.ts';

/** What a gateway wrote about itself in run/current-instance.json. */
export interface RecordedGateway {
  identity: ProcessIdentity;
  instanceId: string | undefined;
  host: string;
  port: number;
  executionMode: ExecutionMode;
  /** Undefined of one that did not record them. */
  timings: PartialTimings | undefined;
  windowId: string | undefined;
  windowIndex: string | undefined;
  paneId: string | undefined;
  epoch: number;
}

/**
 * What can be said of a session's gateway.
 * `live`: the recorded process runs and answers with the recorded instance id.
 * `silent`: the process runs but does not answer, or answers as somebody else.
 * `restarting`: it ended without being asked, and its keeper starts it again.
 * `dead`: something is recorded that no longer runs. `none`: nothing is recorded.
 */
export type GatewayLife =
  | { life: 'live'; gateway: RecordedGateway }
  | { life: 'silent'; gateway: RecordedGateway; reason: string }
  | { life: 'restarting'; gateway: RecordedGateway; reason: string }
  | { life: 'dead'; gateway: RecordedGateway | undefined; reason: string }
  | { life: 'none' };

/** How long a running process may take to say that it is well. */
const HEALTH_TIMEOUT_MS = 1800;

/**
 * The process is looked at first: a dead gateway is known at once, without waiting for silence. Whoever cannot do without it
 * may wait longer for it.
 */
export async function probeGateway(
  paths: SessionPaths,
  token?: string,
  patienceMs = HEALTH_TIMEOUT_MS,
): Promise<GatewayLife> {
  const recorded = readRecordedGateway(paths);
  if (recorded === undefined) return { life: 'none' };
  if (typeof recorded === 'string') return { life: 'dead', gateway: undefined, reason: recorded };
  if (!isProcessAlive(recorded.identity)) {
    const reason = `process ${recorded.identity.pid} has ended`;
    return isKept(paths)
      ? { life: 'restarting', gateway: recorded, reason: `${reason}; it is being started again` }
      : { life: 'dead', gateway: recorded, reason };
  }
  const reason = await healthProblem(recorded, token, patienceMs);
  return reason === undefined
    ? { life: 'live', gateway: recorded }
    : { life: 'silent', gateway: recorded, reason };
}

/** Why the listener is not the gateway we mean, or undefined when it is. A reused port answers with another id. */
async function healthProblem(
  gateway: RecordedGateway,
  token: string | undefined,
  timeoutMs: number,
): Promise<string | undefined> {
  const { host, port } = gateway;
  const client = new GatewayClient({ host, port, token, timeoutMs });
  try {
    const health = await client.health();
    if (health.protocol_version !== 'v1') return 'GET /health does not speak protocol v1';
    if (gateway.instanceId !== undefined && health.instance_id !== gateway.instanceId) {
      return 'GET /health was answered by another instance';
    }
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The record, undefined when there is none, or what is wrong with it. */
export function readRecordedGateway(paths: SessionPaths): RecordedGateway | string | undefined {
  const text = readIfExists(paths.currentInstance);
  if (text === undefined) return undefined;
  let record: Record<string, unknown>;
  try {
    const published = JSON.parse(text) as Record<string, unknown>;
    record = joinedFile(published, readObjectIfAny(besideOf(paths.currentInstance)), INSTANCE_BY);
  } catch {
    return `${paths.currentInstance} is not JSON`;
  }
  const { pid, port, host } = record;
  const mode = record['hosted'] === true ? 'hosted' : record['execution_mode'];
  if (!isCount(pid) || !isCount(port) || typeof host !== 'string' || !isCodeOf(EXECUTION_MODES, mode)) {
    return `${paths.currentInstance} does not name a gateway`;
  }
  return {
    identity: {
      pid,
      startTicks: isCount(record['pid_start_ticks']) ? record['pid_start_ticks'] : null,
      bootId: textOrNone(record['boot_id']) ?? null,
    },
    instanceId: textOrNone(record['instance_id']),
    host,
    port,
    executionMode: mode,
    timings: timingsOrNone(record['tui_tracking_timings']),
    windowId: textOrNone(record['tmux_window_id']),
    windowIndex: textOrNone(record['tmux_window_index']),
    paneId: textOrNone(record['tmux_pane_id']),
    epoch: isCount(record['managed_agent_instance_epoch']) ? record['managed_agent_instance_epoch'] : 1,
  };
}

/** A handle that claims the agent's own window is never acted upon. */
export function claimsAgentWindow(gateway: RecordedGateway): boolean {
  return EXECUTION_MODES[gateway.executionMode].window && gateway.windowIndex === AGENT_WINDOW_INDEX;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}

function timingsOrNone(value: unknown): PartialTimings | undefined {
  return value !== null && typeof value === 'object' ? (value as PartialTimings) : undefined;
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
