import { commandLine, compareText, conflict, isRouseError, nearest, notFound } from '../base/index.ts';
import {
  agentAddress,
  CAPABILITIES,
  CONNECTIVITY,
  type Connectivity,
  canonicalAddress,
  isAmong,
  isBackendKind,
  type ListedGateway,
  type Project,
  type SessionState,
} from '../domain/index.ts';
import type { RegistryRecord } from '../wire/index.ts';
import { nameOnMachine } from './called.ts';
import {
  findEnded,
  followSession,
  LiveSessions,
  lostRecords,
  publishForgotten,
  recordedOf,
} from './live-sessions.ts';
import { readStatus } from './records/gateway-documents.ts';
import { probeGateway, whyDown } from './records/live-gateway.ts';
import { type ManifestFacts, tryManifestFacts } from './records/manifest-facts.ts';
import { branchOf, projectOf } from './records/project.ts';
import { byName, readRegistry } from './records/registry-read.ts';
import { readToken, type SessionPaths, sessionPaths } from './records/session-paths.ts';
import type { SessionContext } from './session-context.ts';

export interface ListedAgent {
  agent_name: string;
  /** Its name in its project. */
  short_name: string;
  /** Null if its manifest cannot be read. */
  project: Project | null;
  branch: string | null;
  agent_id: string;
  tool: string;
  backend: string;
  tmux_session_name: string;
  tmux_socket: string | null;
  session: SessionState;
  /** Whether the tool itself runs, as its live gateway sees it; null if no gateway looks. */
  tool_connectivity: Connectivity | null;
  gateway: ListedGateway;
  /** Why it is down, since when, and what to do; null if it is not down. */
  gateway_down: string | null;
  gateway_port: number | null;
  mail_address: string | null;
  working_directory: string | null;
  manifest_path: string;
  lease_expires_at: string;
}

export interface AgentList {
  agents: ListedAgent[];
  /** Registry files that are not records. They are skipped and named. */
  malformed_records: string[];
  /** Live sessions whose record had expired or was lost. They were published again. */
  published_again: string[];
}

/** Every agent of this host. A live session without a fresh record gets one, so that no agent is hidden by its lease. */
export async function listAgents(context: SessionContext): Promise<AgentList> {
  const { registryDir } = context.settings;
  const now = (): number => context.clock.now().getTime();
  const sessions = new LiveSessions(context.env);
  const publishedAgain = await publishForgotten(context, sessions);
  const view = readRegistry(registryDir, now());
  const records = [...view.fresh, ...lostRecords(view)];
  const agents = await Promise.all(records.map((record) => describe(context, record, sessions)));
  agents.sort((a, b) => compareText(a.agent_name, b.agent_name) || compareText(a.agent_id, b.agent_id));
  return { agents, malformed_records: view.malformed, published_again: publishedAgain };
}

function connectivity(paths: SessionPaths): Connectivity | null {
  const status = readStatus(paths)['managed_agent_connectivity'];
  return typeof status === 'string' && isAmong(CONNECTIVITY, status) ? status : null;
}

async function describe(
  context: SessionContext,
  record: RegistryRecord,
  sessions: LiveSessions,
): Promise<ListedAgent> {
  const read = tryManifestFacts(record.runtime.manifest_path);
  const name = await sessions.nameOf(read ?? recordedOf(record));
  const renamed = read !== undefined && name !== undefined && name !== read.tmuxSessionName;
  const facts = renamed ? await followed(context, read) : read;
  const paths = facts && sessionPaths(facts.root);
  const life = paths ? await probeGateway(paths, readToken(paths, context.env)) : ({ life: 'none' } as const);
  const down = paths && whyDown(paths);
  const seen = life.life === 'none' || life.life === 'dead' ? down && 'down' : life.life;
  return {
    agent_name: record.agent_name,
    short_name: facts?.shortName ?? record.agent_name,
    project: facts ? projectOf(facts) : null,
    branch: facts ? branchOf(facts.workingDirectory) : null,
    agent_id: record.agent_id,
    tool: record.identity.tool,
    backend: record.identity.backend,
    tmux_session_name: facts?.tmuxSessionName ?? record.terminal.session_name,
    tmux_socket: record.terminal.socket ?? null,
    session: facts === undefined ? 'stale' : name === undefined ? 'lost' : 'running',
    tool_connectivity: paths && life.life === 'live' ? connectivity(paths) : null,
    gateway: seen ?? (isServable(record.identity.backend) ? 'not_attached' : 'not_capable'),
    gateway_down: down?.message ?? null,
    gateway_port: life.life === 'live' ? life.gateway.port : null,
    mail_address: record.mailbox?.address ?? null,
    working_directory: facts?.workingDirectory ?? null,
    manifest_path: record.runtime.manifest_path,
    lease_expires_at: record.lease_expires_at,
  };
}

function isServable(backend: string): boolean {
  return isBackendKind(backend) && CAPABILITIES[backend].gateway;
}

async function followed(context: SessionContext, facts: ManifestFacts): Promise<ManifestFacts> {
  try {
    return (await followSession(context, facts)).facts;
  } catch (error) {
    if (isRouseError(error)) return facts;
    throw error;
  }
}

export interface KnownAddress {
  agentName: string;
  agentId: string;
  address: string;
}

/** The agent of this host that a plain name or a full mail address means; undefined if there is none. */
export function findAddress(context: SessionContext, to: string): KnownAddress | undefined {
  const { settings, clock } = context;
  const { fresh } = readRegistry(settings.registryDir, clock.now().getTime());
  const named = to.includes('@')
    ? fresh.filter(({ mailbox }) => mailbox?.address === canonicalAddress(to))
    : byName(fresh, nameOnMachine(context, to));
  if (named.length > 1)
    throw conflict(`${named.length} agents are named "${to}"`, {
      hint: `use a full mail address: ${named.flatMap(({ mailbox }) => mailbox?.address ?? []).join(', ')}`,
    });
  const [record] = named;
  if (!record) return undefined;
  if (!record.mailbox)
    throw notFound(`agent ${record.agent_name} has no mailbox`, {
      hint: `give it one with "${commandLine`rouse agents mailbox register ${record.agent_name}`}"`,
    });
  return { agentName: record.agent_name, agentId: record.agent_id, address: record.mailbox.address };
}

/**
 * The mail address that a recipient means: an address itself, else that of the agent called so from here, whether or not it
 * runs. A name that no agent of this host has is returned as it is: the mail store may know it, or names the nearest.
 */
export function addressMeant(context: SessionContext, to: string): string {
  if (to.includes('@')) return to;
  const known = findAddress(context, to);
  if (known) return known.address;
  const agentName = nameOnMachine(context, to);
  return findEnded(context, { agentName }) ? agentAddress(agentName) : to;
}

/** The names of the agents with a record here, by their mail addresses. An address that two of them have names no one. */
export function namesByAddress(registryDir: string): ReadonlyMap<string, string> {
  const { fresh, expired } = readRegistry(registryDir, 0);
  const names = new Map<string, string>();
  const shared = new Set<string>();
  for (const { agent_name, mailbox } of [...fresh, ...expired]) {
    if (!mailbox) continue;
    if (names.has(mailbox.address)) shared.add(mailbox.address);
    names.set(mailbox.address, agent_name);
  }
  for (const address of shared) names.delete(address);
  return names;
}

/** Whether an agent of this name has a record here, expired or not. */
export function hasAgent(registryDir: string, name: string): boolean {
  const { fresh, expired } = readRegistry(registryDir, 0);
  return byName([...fresh, ...expired], name).length > 0;
}

/** The agent name in the registry that is nearest in spelling. */
export function nearAddress({ settings, clock }: SessionContext, to: string): string | undefined {
  const { fresh } = readRegistry(settings.registryDir, clock.now().getTime());
  return nearest(
    to,
    fresh.map(({ agent_name }) => agent_name),
    1,
  )[0];
}
