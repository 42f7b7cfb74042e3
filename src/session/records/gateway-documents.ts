import * as path from 'node:path';
import {
  ensurePrivateDirectory,
  readIfExists,
  readObjectIfAny,
  writeFileAtomic,
  writeJsonAtomic,
} from '../../base/index.ts';
import {
  CAPABILITIES,
  EXECUTION_MODES,
  type ExecutionMode,
  isCodeOf,
  modeElsewhere,
  offlineStatus,
  stateDocument,
} from '../../domain/index.ts';
import { besideOf, joinedFile } from '../../wire/files/beside.ts';
import { BACKEND, VARIABLE } from '../../wire/houmao/index.ts';
import type { AttachFile, DesiredConfigFile, GatewayManifestFile, GatewayStatus } from '../../wire/index.ts';
import { type RecordedGateway, whyDown } from './live-gateway.ts';
import type { ManifestFacts } from './manifest-facts.ts';
import { LIVE_VARIABLES, type SessionPaths } from './session-paths.ts';

export const PROTOCOL_VERSION = 'v1';

/** Where a gateway runs until an attach has chosen otherwise: in the foreground, in a window beside the agent's. */
export const FIRST_EXECUTION_MODE: ExecutionMode = 'tmux_auxiliary_window';

/** A window beside a terminal that a server owns would belong to that server, so a gateway there has none. */
export function firstExecutionMode({
  backend,
  sharesSession,
}: Pick<ManifestFacts, 'backend' | 'sharesSession'>): ExecutionMode {
  if (sharesSession) return 'hosted';
  return CAPABILITIES[backend].owner !== null ? 'detached_process' : FIRST_EXECUTION_MODE;
}

/** The body of `GET /v1/status`. */
export type StatusDocument = GatewayStatus;

/** For files that are derived from the manifest. Losing one in a power cut does no harm, so they are not synced. */
const derived = { durable: false } as const;

/** attach.json: what a gateway needs to start, from the manifest. */
function attachDocument(facts: ManifestFacts, desired: Partial<DesiredConfigFile>): AttachFile {
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
  if (CAPABILITIES[facts.backend].owner !== null) return ownedMetadata(facts);
  if (facts.backend !== BACKEND.server) {
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

function ownedMetadata({ document }: ManifestFacts): Record<string, unknown> {
  const owned = document['cao'] as Record<string, unknown>;
  return {
    api_base_url: owned['api_base_url'],
    terminal_id: owned['terminal_id'],
    profile_name: owned['profile_name'] ?? '',
    profile_path: owned['profile_path'] ?? '',
    parsing_mode: owned['parsing_mode'],
    tmux_window_name: owned['tmux_window_name'] ?? null,
  };
}

/** gateway_manifest.json: bookkeeping for others, never read back. */
function gatewayManifest(attach: AttachFile, gateway: RecordedGateway | undefined): GatewayManifestFile {
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

/** Rewrites attach.json and gateway_manifest.json from the manifest. */
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

/** The address in attach.json, used if no other was requested. */
export function readBootstrap(paths: SessionPaths): Pick<AttachFile, 'desired_host' | 'desired_port'> {
  const { desired_host, desired_port } = (readObjectIfAny(paths.attach) ?? {}) as Partial<AttachFile>;
  return { desired_host: desired_host ?? null, desired_port: desired_port ?? null };
}

function withoutNulls<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null)) as Partial<T>;
}

/** The status of a session without a live gateway. Depth, epoch and instance are those of the last gateway. */
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

/** An unreadable file counts as absent: it is derived, and the next gateway writes it again. */
export function readStatus(paths: SessionPaths): Record<string, unknown> {
  return readObjectIfAny(paths.state) ?? {};
}

/** Writes only if something differs, because reading a status must not touch the disk. */
export function writeStatus(paths: SessionPaths, status: StatusDocument): void {
  ensurePrivateDirectory(path.dirname(paths.state));
  const before = readStatus(paths);
  const state = stateDocument(status);
  const fields = Object.entries(state);
  const same = fields.every(([key, value]) => before[key] === value);
  if (same && Object.keys(before).length === fields.length) return;
  writeJsonAtomic(paths.state, state, derived);
}

/** What the last successful attach stored; a damaged file counts as missing. */
export function readDesiredConfig(paths: SessionPaths): Partial<DesiredConfigFile> {
  const published = readObjectIfAny(paths.desiredConfig);
  if (published === undefined) return {};
  const beside = readObjectIfAny(besideOf(paths.desiredConfig));
  const { desired_hosted: hosted, ...config } = joinedFile(
    published,
    beside,
    [],
  ) as Partial<DesiredConfigFile>;
  // The recorded origin is that of one particular port.
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

export function liveBindings(paths: SessionPaths, gateway: RecordedGateway): Record<string, string> {
  return {
    [VARIABLE.gatewayHost]: gateway.host,
    [VARIABLE.gatewayPort]: String(gateway.port),
    [VARIABLE.gatewayState]: paths.state,
    [VARIABLE.gatewayProtocol]: 'v1',
  };
}

/** The same four names with null, which unsets them. */
export const NO_BINDINGS: Record<string, null> = Object.fromEntries(
  LIVE_VARIABLES.map((name) => [name, null]),
);

export function anyBinding(variables: Map<string, string>): boolean {
  return LIVE_VARIABLES.some((name) => variables.has(name));
}

export function sameBindings(variables: Map<string, string>, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([name, value]) => variables.get(name) === value);
}
