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
import { hostFiles } from '../../wire/files/host-files.ts';
import type { SessionPaths } from './session-paths.ts';

/** What a gateway wrote about itself in run/current-instance.json. */
export interface RecordedGateway {
  identity: ProcessIdentity;
  instanceId: string | undefined;
  host: string;
  port: number;
  executionMode: ExecutionMode;
  /** Undefined if the gateway did not record them. */
  timings: PartialTimings | undefined;
  windowId: string | undefined;
  windowIndex: string | undefined;
  paneId: string | undefined;
  epoch: number;
}

/**
 * The state of a session's gateway.
 * `live`: the recorded process runs and responds with the recorded instance id.
 * `silent`: the process runs but does not respond, or responds as another instance.
 * `restarting`: it ended without being asked, and its keeper restarts it.
 * `dead`: the recorded process no longer runs. `none`: nothing is recorded.
 */
export type GatewayLife =
  | { life: 'live'; gateway: RecordedGateway }
  | { life: 'silent'; gateway: RecordedGateway; reason: string }
  | { life: 'restarting'; gateway: RecordedGateway; reason: string }
  | { life: 'dead'; gateway: RecordedGateway | undefined; reason: string }
  | { life: 'none' };

/** How long a running process may take to answer. */
const HEALTH_TIMEOUT_MS = 1800;

/**
 * Checks the process first, so that a dead gateway is reported at once, without waiting for a timeout. Callers that need
 * the gateway may wait longer.
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

/** Why the listener is not the expected gateway, or undefined if it is. A reused port responds with another id. */
async function healthProblem(
  gateway: RecordedGateway,
  token: string | undefined,
  timeoutMs: number,
): Promise<string | undefined> {
  const { host, port } = gateway;
  const client = new GatewayClient({ host, port, token, timeoutMs });
  try {
    const health = await client.health();
    if (health.protocol_version !== 'v1') return 'GET /health does not use protocol v1';
    if (gateway.instanceId !== undefined && health.instance_id !== gateway.instanceId) {
      return 'GET /health was answered by another instance';
    }
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The record, undefined if there is none, or what is wrong with it. */
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

/** Whether it claims the agent's own window. Such a gateway is never acted upon. */
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

/** What the parent of a gateway wrote about itself in run/keeper.json. */
export interface KeeperRecord {
  identity: ProcessIdentity;
  /** The gateway ended too often and is not restarted. */
  gaveUp: boolean;
  /** Restarted only after long pauses, because it ended so often. */
  slow: boolean;
  /** Its host ended each time it loaded this gateway. */
  suspect: boolean;
  /** How often it was restarted. */
  restarts: number;
  /** Exit code of the last end, as a shell reports it (128 + signal); null before the first. */
  exitCode: number | null;
  /** Time of the last end; before the first, of its start. */
  sinceUtc: string;
  /** Of the host that holds the gateway; undefined if the gateway is a process of its own. */
  hostDirectory: string | undefined;
  /** The restart count of that host when this was written. */
  hostRestarts: number;
}

/** For a hosted gateway, restarts of the host count too; the host's own keeper records them. */
export function readKeeper(paths: Pick<SessionPaths, 'keeper'>): KeeperRecord | undefined {
  const own = readRecord(paths.keeper);
  const host = own?.hostDirectory ? readRecord(hostFiles(own.hostDirectory).keeper) : undefined;
  if (!own || !host || host.identity.pid !== own.identity.pid) return own;
  const ends = host.restarts - own.hostRestarts;
  if (ends <= 0 && !host.gaveUp) return own;
  const { gaveUp, slow, exitCode, sinceUtc } = host;
  return { ...own, gaveUp, slow, exitCode, sinceUtc, restarts: own.restarts + ends };
}

/** A damaged record counts as missing. */
function readRecord(file: string): KeeperRecord | undefined {
  try {
    const record = JSON.parse(readIfExists(file) ?? 'null') as Record<string, unknown> | null;
    const pid = record?.['pid'];
    const ticks = record?.['pid_start_ticks'];
    if (!record || !Number.isInteger(pid) || !Number.isInteger(ticks)) return undefined;
    return {
      identity: { pid: pid as number, startTicks: ticks as number, bootId: String(record['boot_id']) },
      gaveUp: record['state'] === 'given_up',
      slow: record['state'] === 'slow',
      suspect: record['state'] === 'suspect',
      restarts: Number(record['restarts']),
      exitCode: Number.isInteger(record['exit_code']) ? (record['exit_code'] as number) : null,
      sinceUtc: String(record['since_utc']),
      hostDirectory: typeof record['host_directory'] === 'string' ? record['host_directory'] : undefined,
      hostRestarts: Number(record['host_restarts'] ?? 0),
    };
  } catch {
    return undefined;
  }
}

/** Whether a keeper will restart the gateway. */
export function isKept(paths: SessionPaths): boolean {
  const keeper = readKeeper(paths);
  return keeper !== undefined && !keeper.gaveUp && isProcessAlive(keeper.identity);
}

/** Whether its keeper was killed, so that nothing will restart the gateway. */
export function isUnkept(paths: Pick<SessionPaths, 'keeper'>): boolean {
  const keeper = readKeeper(paths);
  return keeper !== undefined && !keeper.gaveUp && !isProcessAlive(keeper.identity);
}

/** A gateway that stays down: since when, why, and what to do, as a sentence for people. */
interface GatewayDown {
  since_utc: string;
  restarts: number;
  exit_code: number | null;
  message: string;
}

/** Undefined unless its keeper gave up. */
export function whyDown(paths: SessionPaths): GatewayDown | undefined {
  const keeper = readKeeper(paths);
  if (!keeper?.gaveUp) return undefined;
  const { restarts, exitCode: exit_code, sinceUtc: since_utc } = keeper;
  const message =
    `the gateway is down since ${since_utc}: it ended by itself too often (${endWords(exit_code)}, started again ` +
    `${times(restarts)}); look at ${paths.log} and ${paths.errors}, then attach it again`;
  return { since_utc, restarts, exit_code, message };
}

/** A sentence about restarts of the gateway since its attach; undefined if there were none. */
export function restartWords(paths: SessionPaths): string | undefined {
  const keeper = readKeeper(paths);
  if (!keeper || keeper.restarts === 0 || keeper.gaveUp) return undefined;
  return `it ended by itself and was started again ${times(keeper.restarts)}, the last time at ${keeper.sinceUtc} (${endWords(keeper.exitCode)})`;
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

function endWords(code: number | null): string {
  if (code === null) return 'exit code unknown';
  return code > 128 ? `signal ${code - 128}` : `exit code ${code}`;
}
