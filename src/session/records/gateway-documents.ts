import * as path from 'node:path';
import {
  ensurePrivateDirectory,
  readIfExists,
  readObjectIfAny,
  writeFileAtomic,
  writeJsonAtomic,
} from '../../base/index.ts';
import {
  EXECUTION_MODES,
  type ExecutionMode,
  isCodeOf,
  modeElsewhere,
  offlineStatus,
  stateDocument,
} from '../../domain/index.ts';
import { besideOf, joinedFile } from '../../wire/files/beside.ts';
import type { AttachFile, DesiredConfigFile, GatewayManifestFile, GatewayStatus } from '../../wire/index.ts';
import { whyDown } from './keeper.ts';
import type { RecordedGateway } from './live-gateway.ts';
import type { ManifestFacts } from './manifest-facts.ts';
import type { SessionPaths } from './session-paths.ts';

export const PROTOCOL_VERSION = 'v1';

/** Where a gateway runs until an attach has said otherwise: in the foreground, in a window beside the agent's. */
export const FIRST_EXECUTION_MODE: ExecutionMode = 'tmux_auxiliary_window';

/** A window beside a terminal of CAO's would be CAO's: a gateway has none there. */
export function firstExecutionMode({ backend }: Pick<ManifestFacts, 'backend'>): ExecutionMode {
  return backend === 'cao_rest' ? 'detached_process' : FIRST_EXECUTION_MODE;
}

/** As `GET /v1/status` answers, and as state.json holds it. */
export type StatusDocument = GatewayStatus;

/** Files others derive from the manifest. Losing one in a power cut costs nothing, so none is synced. */
const derived = { durable: false } as const;

/** attach.json: what a gateway needs to start, as the manifest has it. */
export function attachDocument(facts: ManifestFacts, desired: Partial<DesiredConfigFile>): AttachFile {
  return {
    schema_version: 1,
    attach_identity: facts.sessionId,
    backend: facts.backend,
    tmux_session_name: facts.tmuxSessionName,
    working_directory: facts.workingDirectory,
    backend_metadata: backendMetadata(facts),
    manifest_path: facts.path,
    agent_def_dir: null,
    runtime_session_id: facts.sessionId,
    desired_host: desired.desired_host ?? null,
    desired_port: desired.desired_port ?? null,
  };
}

function backendMetadata(facts: ManifestFacts): Record<string, unknown> {
  if (facts.backend === 'cao_rest') return caoMetadata(facts);
  if (facts.backend !== 'houmao_server_rest') {
    return {
      session_id: facts.sessionId,
      tool: facts.tool,
      managed_api_base_url: facts.serverBaseUrl ?? null,
      managed_agent_ref: facts.serverAgentRef ?? null,
    };
  }
  const { api_base_url, session_name, terminal_id, parsing_mode, tmux_window_name } = facts.document[
    'houmao_server'
  ] as Record<string, unknown>;
  return {
    api_base_url,
    session_name,
    terminal_id,
    parsing_mode,
    tmux_window_name: tmux_window_name ?? null,
  };
}

function caoMetadata({ document }: ManifestFacts): Record<string, unknown> {
  const cao = document['cao'] as Record<string, unknown>;
  return {
    api_base_url: cao['api_base_url'],
    terminal_id: cao['terminal_id'],
    profile_name: cao['profile_name'] ?? '',
    profile_path: cao['profile_path'] ?? '',
    parsing_mode: cao['parsing_mode'],
    tmux_window_name: cao['tmux_window_name'] ?? null,
  };
}

/** gateway_manifest.json: bookkeeping for others, never read back. */
export function gatewayManifest(
  attach: AttachFile,
  gateway: RecordedGateway | undefined,
): GatewayManifestFile {
  return {
    ...attach,
    gateway_pid: gateway?.identity.pid ?? null,
    gateway_host: (gateway?.host ?? null) as GatewayManifestFile['gateway_host'],
    gateway_port: gateway?.port ?? null,
    gateway_protocol_version: gateway ? PROTOCOL_VERSION : null,
    gateway_execution_mode: gateway ? modeElsewhere(gateway.executionMode) : null,
    gateway_tmux_window_id: gateway?.windowId ?? null,
    gateway_tmux_window_index: gateway?.windowIndex ?? null,
    gateway_tmux_pane_id: gateway?.paneId ?? null,
  };
}

/** Writes attach.json and gateway_manifest.json anew from the manifest. */
export function writeDerivedFiles(
  paths: SessionPaths,
  facts: ManifestFacts,
  gateway: RecordedGateway | undefined,
): void {
  const attach = attachDocument(facts, {
    ...readBootstrap(paths),
    ...withoutNulls(readDesiredConfig(paths)),
  });
  writeJsonAtomic(paths.attach, attach, derived);
  writeJsonAtomic(paths.gatewayManifest, gatewayManifest(attach, gateway), derived);
}

/** The address attach.json carries for a gateway nobody has given another. */
export function readBootstrap(paths: SessionPaths): Pick<AttachFile, 'desired_host' | 'desired_port'> {
  const { desired_host, desired_port } = (readObjectIfAny(paths.attach) ?? {}) as Partial<AttachFile>;
  return { desired_host: desired_host ?? null, desired_port: desired_port ?? null };
}

function withoutNulls<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null)) as Partial<T>;
}

/** What a session without a live gateway shows: depth, epoch and instance are those of the last one. */
export function offlineDocument(paths: SessionPaths, facts: ManifestFacts): StatusDocument {
  const before = readStatus(paths);
  const last = recordedNumbers(before);
  const core = offlineStatus({
    attachIdentity: facts.sessionId,
    backend: facts.backend,
    tmuxSessionName: facts.tmuxSessionName,
    executionMode: readDesiredConfig(paths).desired_execution_mode ?? firstExecutionMode(facts),
    queueDepth: last.depth,
    epoch: last.epoch,
    instanceId: last.instanceId,
  });
  const down = whyDown(paths);
  return {
    schema_version: 1,
    protocol_version: PROTOCOL_VERSION,
    ...core,
    ...(down && { gateway_down: down }),
  };
}

function recordedNumbers(before: Record<string, unknown>): {
  depth: number;
  epoch: number;
  instanceId: string | null;
} {
  const count = (value: unknown): number =>
    Number.isInteger(value) && (value as number) > 0 ? (value as number) : 0;
  const id = before['managed_agent_instance_id'];
  return {
    depth: count(before['queue_depth']),
    epoch: count(before['managed_agent_instance_epoch']),
    instanceId: typeof id === 'string' ? id : null,
  };
}

/** Unreadable counts as absent: it is derived, and the next gateway writes it again. */
export function readStatus(paths: SessionPaths): Record<string, unknown> {
  return readObjectIfAny(paths.state) ?? {};
}

/** Writes only what differs from what is there: asking for a status must not touch the disk. */
export function writeStatus(paths: SessionPaths, status: StatusDocument): void {
  ensurePrivateDirectory(path.dirname(paths.state));
  const before = readStatus(paths);
  const state = stateDocument(status);
  const told = Object.entries(state);
  const same = told.every(([key, value]) => before[key] === value);
  if (same && Object.keys(before).length === told.length) return;
  writeJsonAtomic(paths.state, state, derived);
}

/** What the last successful attach stored; a damaged file is as good as none. */
export function readDesiredConfig(paths: SessionPaths): Partial<DesiredConfigFile> {
  const published = readObjectIfAny(paths.desiredConfig);
  if (published === undefined) return {};
  const beside = readObjectIfAny(besideOf(paths.desiredConfig));
  const { desired_hosted: hosted, ...config } = joinedFile(
    published,
    beside,
    [],
  ) as Partial<DesiredConfigFile>;
  // Where a port came from is said of one port.
  if (beside && beside['desired_port'] !== published['desired_port'])
    config.desired_port_origin = (published['desired_port_origin'] ??
      null) as typeof config.desired_port_origin;
  const mode = config.desired_execution_mode;
  if (hosted && mode === modeElsewhere('hosted')) return { ...config, desired_execution_mode: 'hosted' };
  if (isCodeOf(EXECUTION_MODES, mode)) return config;
  const { desired_execution_mode: _, ...rest } = config;
  return rest;
}

export function seedFile(file: string, content: string): void {
  if (readIfExists(file) === undefined) writeFileAtomic(file, content, derived);
}
