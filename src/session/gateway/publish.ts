import * as fs from 'node:fs';
import * as path from 'node:path';
import { type FileLock, tryLockFile, writeJsonIfOther } from '../../base/index.ts';
import { CAPABILITIES } from '../../domain/index.ts';
import { published } from '../../mail/transports.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';
import {
  besideOf,
  type DesiredConfigFile,
  desiredConfigFile,
  type MailboxBinding,
  parseFile,
  type RegistryRecord,
  splitFile,
} from '../../wire/index.ts';
import {
  firstExecutionMode,
  NO_BINDINGS,
  offlineDocument,
  PROTOCOL_VERSION,
  readDesiredConfig,
  readStatus,
  type StatusDocument,
  seedFile,
  writeDerivedFiles,
  writeStatus,
} from '../records/gateway-documents.ts';
import {
  claimsAgentWindow,
  type RecordedGateway,
  readKeeper,
  readRecordedGateway,
} from '../records/live-gateway.ts';
import { type ManifestFacts, readManifestFacts } from '../records/manifest-facts.ts';
import { updateManifest } from '../records/manifest-store.ts';
import {
  JOINED_LEASE_MS,
  LAUNCHED_LEASE_MS,
  publishRecord,
  withdrawGateway,
  withLease,
} from '../records/registry.ts';
import { readRecord } from '../records/registry-read.ts';
import {
  makeSessionDirectories,
  RETIRED_VARIABLES,
  type SessionPaths,
  sessionPaths,
} from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { holderOf, tmuxOf } from '../session-tmux.ts';

/**
 * not_capable: no gateway can serve this kind of session. capable: everything is ready for one, but none runs. live: one
 * runs. Publication makes a session capable; it never starts anything.
 */
export type CapabilityState = 'not_capable' | 'capable' | 'live';

export function isCapable(facts: ManifestFacts): boolean {
  return CAPABILITIES[facts.backend].gateway;
}

/** Makes the gateway directory, and publishes the stable variables and the registry record. Can be repeated at any time. */
export async function publishCapability(
  context: SessionContext,
  manifestPath: string,
): Promise<ManifestFacts> {
  const facts = readManifestFacts(manifestPath);
  // Rewrites what an older version wrote in the current format.
  await updateManifest(facts.root, context.clock, (manifest) => manifest);
  if (isCapable(facts)) await seedGatewayTree(facts);
  await publishVariables(context, facts);
  await publishRegistryRecord(context, facts);
  return facts;
}

async function seedGatewayTree(facts: ManifestFacts): Promise<void> {
  const paths = sessionPaths(facts.root);
  makeSessionDirectories(paths);
  if (!fs.existsSync(paths.queue)) (await import('../../gateway/offline.ts')).seedQueue(paths.gateway);
  seedFile(paths.protocolVersion, `${PROTOCOL_VERSION}\n`);
  seedFile(paths.events, '');
  seedDesiredConfig(facts);
  if (fs.existsSync(paths.currentInstance)) return;
  writeDerivedFiles(paths, facts, undefined);
  if (readStatus(paths)['gateway_health'] !== 'not_attached')
    writeStatus(paths, offlineDocument(paths, facts));
}

/** Stored values win over defaults. A file of an older version is rewritten in the current format. */
function seedDesiredConfig(facts: ManifestFacts): void {
  const paths = sessionPaths(facts.root);
  const mode = { desired_execution_mode: firstExecutionMode(facts) };
  const stored = desiredConfigFile.safeParse({ ...mode, ...readDesiredConfig(paths), schema_version: 1 });
  // A file with a field that is not allowed is left for the attach that replaces it.
  if (stored.success) writeDesired(paths, stored.data);
}

async function publishVariables(context: SessionContext, facts: ManifestFacts): Promise<void> {
  const tmux = tmuxOf(context, facts);
  await tmux.setEnvironment(holderOf(facts), {
    [VARIABLE.manifestPath]: facts.path,
    [VARIABLE.agentId]: facts.agentId,
    ...Object.fromEntries(RETIRED_VARIABLES.map((name) => [name, null])),
  });
}

/** Publishes a live gateway: status, derived files, registry record. */
export async function writeLive(
  context: SessionContext,
  facts: ManifestFacts,
  status: StatusDocument,
  gateway: RecordedGateway,
): Promise<void> {
  const paths = sessionPaths(facts.root);
  writeStatus(paths, status);
  writeDerivedFiles(paths, facts, gateway);
  await publishRegistryRecord(context, facts, registryGateway(facts, gateway));
}

export function registryGateway(facts: ManifestFacts, { host, port }: RecordedGateway) {
  return {
    host: host as '127.0.0.1',
    port,
    state_path: sessionPaths(facts.root).state,
    protocol_version: 'v1' as const,
  };
}

/** After the tmux session was renamed: updates the published facts from the manifest. */
export async function publishRenamed(context: SessionContext, facts: ManifestFacts): Promise<void> {
  await publishRegistryRecord(context, facts);
  if (!isCapable(facts)) return;
  const paths = sessionPaths(facts.root);
  const recorded = readRecordedGateway(paths);
  const gateway = typeof recorded === 'string' ? undefined : recorded;
  writeDerivedFiles(paths, facts, gateway);
  if (!gateway) writeStatus(paths, offlineDocument(paths, facts));
}

/** Without `gateway`, the record keeps the gateway it has. */
export async function publishRegistryRecord(
  context: SessionContext,
  facts: ManifestFacts,
  gateway: RegistryRecord['gateway'] = publishedGateway(context, facts),
): Promise<void> {
  const record: RegistryRecord = {
    schema_version: 2,
    agent_name: facts.agentName,
    agent_id: facts.agentId,
    generation_id: facts.generationId ?? '',
    published_at: '',
    lease_expires_at: '',
    identity: { backend: facts.backend, tool: facts.tool },
    runtime: { manifest_path: facts.path, session_root: facts.root, agent_def_dir: null },
    terminal: { kind: 'tmux', session_name: facts.tmuxSessionName, socket: facts.tmuxSocket ?? null },
    gateway,
    mailbox: publishedMailbox(facts),
  };
  const lease = facts.joined ? JOINED_LEASE_MS : LAUNCHED_LEASE_MS;
  const { registryDir } = context.settings;
  await publishRecord(registryDir, withLease(record, context.clock.now(), lease), context.clock);
}

function publishedGateway({ settings }: SessionContext, facts: ManifestFacts): RegistryRecord['gateway'] {
  const before = readRecord(settings.registryDir, facts.agentId);
  if (!before || before === 'malformed' || before.generation_id !== facts.generationId) return null;
  return before.gateway ?? null;
}

/** Enough to find the mailbox. The place of its folder is only in the manifest. */
function publishedMailbox(facts: ManifestFacts): RegistryRecord['mailbox'] {
  const { mailbox } = facts.document['launch_plan'] as { mailbox?: MailboxBinding | null };
  return mailbox ? published(mailbox) : null;
}

/**
 * Puts a session whose gateway is gone back into the state "capable, not attached". Only if nothing else is at work on
 * it: an attach or detach in progress holds the life-cycle lock, and a gateway, even one that has not responded yet, holds
 * its own. If a gateway runs but does not answer, only what others read is corrected: variables, status, registry. Its
 * record stays, so that the next attach finds and ends it.
 */
export async function clearStale(context: SessionContext, facts: ManifestFacts): Promise<string[]> {
  const paths = sessionPaths(facts.root);
  makeSessionDirectories(paths);
  const lifecycle = tryLockFile(paths.lifecycleLock);
  if (!lifecycle) return ['another attach or detach is under way'];
  try {
    const gateway = tryLockFile(paths.gatewayLock);
    if (!gateway) {
      await publishOffline(context, facts);
      return ['a gateway process runs but does not answer; its address was withdrawn'];
    }
    return await clearHolding(gateway, () => restoreOffline(context, facts));
  } finally {
    lifecycle.release();
  }
}

async function clearHolding(lock: FileLock, work: () => Promise<void>): Promise<string[]> {
  try {
    await work();
    return ['a gateway that is gone was cleared away'];
  } finally {
    lock.release();
  }
}

/** The state after a detach. The caller holds the life-cycle lock and knows that no gateway runs. */
export async function restoreOffline(context: SessionContext, facts: ManifestFacts): Promise<void> {
  const paths = sessionPaths(facts.root);
  const recorded = readRecordedGateway(paths);
  if (recorded && typeof recorded !== 'string' && !claimsAgentWindow(recorded)) {
    await closeGatewayWindow(context, facts, recorded);
  }
  removeRunFiles(paths);
  await publishOffline(context, facts);
}

/** Withdraws the address of a gateway that does not answer. */
async function publishOffline(context: SessionContext, facts: ManifestFacts): Promise<void> {
  const paths = sessionPaths(facts.root);
  await unpublish(context, facts);
  writeStatus(paths, offlineDocument(paths, facts));
  writeDerivedFiles(paths, facts, undefined);
  await withdrawGateway(context.settings.registryDir, facts, context.clock);
}

/** Only in a session that is still this agent's. A returned session has its own variables again. */
async function unpublish(context: SessionContext, facts: ManifestFacts): Promise<void> {
  const tmux = tmuxOf(context, facts);
  const variables = await tmux.environment(holderOf(facts));
  const ours =
    variables?.get(VARIABLE.manifestPath) === facts.path ||
    variables?.get(VARIABLE.gatewayState) === sessionPaths(facts.root).state;
  if (ours) await tmux.setEnvironment(holderOf(facts), NO_BINDINGS);
}

function removeRunFiles(paths: SessionPaths): void {
  const instance = [paths.currentInstance, besideOf(paths.currentInstance)];
  for (const file of [...instance, paths.pidFile, paths.attempt, path.join(paths.run, 'env')])
    fs.rmSync(file, { force: true });
}

/**
 * Closes the window of a former gateway: exactly the recorded window, in this session, not index 0, and only while the
 * recorded pane runs the recorded process, its keeper or nothing. tmux counts ids up, so another pane can have the id
 * only after a restart of the server.
 */
export async function closeGatewayWindow(
  context: SessionContext,
  facts: ManifestFacts,
  gateway: RecordedGateway,
): Promise<void> {
  if (gateway.windowId === undefined || gateway.paneId === undefined) return;
  const tmux = tmuxOf(context, facts);
  const panes = await tmux.panes(facts.tmuxSessionName);
  const pane = panes.find((each) => each.paneId === gateway.paneId && each.windowId === gateway.windowId);
  if (!pane || pane.windowIndex === '0') return;
  const keeper = readKeeper(sessionPaths(facts.root))?.identity.pid;
  if (pane.dead || pane.pid === gateway.identity.pid || pane.pid === keeper)
    await tmux.killWindow(facts.tmuxSessionName, pane.windowId);
}

/** Stores what the next attach starts from, if it changed. See readDesiredConfig. */
export function writeDesired({ desiredConfig: file }: SessionPaths, desired: DesiredConfigFile): void {
  const hosted = desired.desired_execution_mode === 'hosted';
  const document = { ...desired, ...(hosted && { desired_hosted: true as const }) };
  const { published, beside } = splitFile(desiredConfigFile, parseFile(desiredConfigFile, document, file), [
    'desired_port',
  ]);
  writeJsonIfOther(besideOf(file), beside);
  writeJsonIfOther(file, published);
}
