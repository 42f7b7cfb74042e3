import * as fs from 'node:fs';
import { CAPABILITIES } from '../../domain/index.ts';
import { published } from '../../mail/transports.ts';
import { desiredConfigFile, type MailboxBinding, type RegistryRecord } from '../../wire/index.ts';
import {
  firstExecutionMode,
  offlineDocument,
  PROTOCOL_VERSION,
  readDesiredConfig,
  readStatus,
  type StatusDocument,
  seedFile,
  writeDerivedFiles,
  writeStatus,
} from '../records/gateway-documents.ts';
import { type RecordedGateway, readRecordedGateway } from '../records/live-gateway.ts';
import { type ManifestFacts, readManifestFacts } from '../records/manifest-facts.ts';
import { updateManifest } from '../records/manifest-store.ts';
import { RETIRED_VARIABLES } from '../records/our-variables.ts';
import { JOINED_LEASE_MS, LAUNCHED_LEASE_MS, publishRecord, withLease } from '../records/registry.ts';
import { readRecord } from '../records/registry-read.ts';
import { makeSessionDirectories, sessionPaths } from '../records/session-paths.ts';
import { writeDesired } from '../records/write-desired.ts';
import type { SessionContext } from '../session-context.ts';
import { holderOf, tmuxOf } from '../session-tmux.ts';

/**
 * not_capable: no gateway can serve this kind of session. capable: everything is in place for one, and none
 * lives. live: one lives. Publication makes the second out of a manifest; it never starts anything.
 */
export type CapabilityState = 'not_capable' | 'capable' | 'live';

export function isCapable(facts: ManifestFacts): boolean {
  return CAPABILITIES[facts.backend].gateway;
}

/** Seeds the gateway tree, publishes the stable variables and the registry record. Safe to repeat at any time. */
export async function publishCapability(
  context: SessionContext,
  manifestPath: string,
): Promise<ManifestFacts> {
  const facts = readManifestFacts(manifestPath);
  // What an older version wrote is written as this one writes it.
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

/** What is stored wins over what would be seeded; what an older version stored is written anew. */
function seedDesiredConfig(facts: ManifestFacts): void {
  const paths = sessionPaths(facts.root);
  const mode = { desired_execution_mode: firstExecutionMode(facts) };
  const stored = desiredConfigFile.safeParse({ ...mode, ...readDesiredConfig(paths), schema_version: 1 });
  // One with a field that is not allowed is left for the attach that replaces it.
  if (stored.success) writeDesired(paths, stored.data);
}

async function publishVariables(context: SessionContext, facts: ManifestFacts): Promise<void> {
  const tmux = tmuxOf(context, facts);
  await tmux.setEnvironment(holderOf(facts), {
    HOUMAO_MANIFEST_PATH: facts.path,
    HOUMAO_AGENT_ID: facts.agentId,
    ...Object.fromEntries(RETIRED_VARIABLES.map((name) => [name, null])),
  });
}

/** What is told elsewhere of a gateway that lives. */
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

/** After its tmux session was renamed: what is told of a session elsewhere follows its manifest. */
export async function publishRenamed(context: SessionContext, facts: ManifestFacts): Promise<void> {
  await publishRegistryRecord(context, facts);
  if (!isCapable(facts)) return;
  const paths = sessionPaths(facts.root);
  const recorded = readRecordedGateway(paths);
  const gateway = typeof recorded === 'string' ? undefined : recorded;
  writeDerivedFiles(paths, facts, gateway);
  if (!gateway) writeStatus(paths, offlineDocument(paths, facts));
}

/** Without a word about the gateway, what the record says of one stays. */
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

/** Enough to find the mailbox; where its folder is stays in the manifest. */
function publishedMailbox(facts: ManifestFacts): RegistryRecord['mailbox'] {
  const { mailbox } = facts.document['launch_plan'] as { mailbox?: MailboxBinding | null };
  return mailbox ? published(mailbox) : null;
}
