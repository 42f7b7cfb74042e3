import * as fs from 'node:fs';
import * as path from 'node:path';
import { isRouseError } from '../base/index.ts';
import type { RegistryRecord } from '../wire/index.ts';
import { readToken } from './gateway-token.ts';
import { probeGateway } from './live-gateway.ts';
import { type ManifestFacts, readManifestFacts } from './manifest-facts.ts';
import { readRegistry } from './registry-read.ts';
import type { SessionContext } from './session-context.ts';
import { sessionPaths } from './session-paths.ts';
import { SessionTmux } from './session-tmux.ts';
import { DEFAULT_SOCKET } from './tmux-socket.ts';

export interface ListedAgent {
  agent_name: string;
  agent_id: string;
  tool: string;
  backend: string;
  tmux_session_name: string;
  tmux_socket: string | null;
  /** running: its tmux session lives. lost: it does not. stale: its record leads nowhere. */
  session: 'running' | 'lost' | 'stale';
  gateway: 'live' | 'silent' | 'not_attached';
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
  /** Sessions that live but whose record had expired or was lost; they were published again. */
  published_again: string[];
}

/** Every agent of this host. Sessions that live without a fresh record get one, so that a lease never hides an agent. */
export async function listAgents(context: SessionContext): Promise<AgentList> {
  const { registryDir } = context.settings;
  const now = (): number => context.clock.now().getTime();
  const sessions = new SessionNames(context.env);
  const publishedAgain = await publishForgotten(context, sessions);
  const view = readRegistry(registryDir, now());
  const agents = await Promise.all(view.fresh.map((record) => describe(context, record, sessions)));
  agents.sort((a, b) => a.agent_name.localeCompare(b.agent_name) || a.agent_id.localeCompare(b.agent_id));
  return { agents, malformed_records: view.malformed, published_again: publishedAgain };
}

/** One question per tmux server. */
class SessionNames {
  #env: NodeJS.ProcessEnv;
  #known = new Map<string, Promise<Set<string>>>();

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  async has(socket: string | null | undefined, session: string): Promise<boolean> {
    const name = socket ?? DEFAULT_SOCKET;
    let names = this.#known.get(name);
    if (!names) {
      names = new SessionTmux(name, this.#env).sessionNames().then((all) => new Set(all));
      this.#known.set(name, names);
    }
    return (await names).has(session);
  }
}

async function describe(
  context: SessionContext,
  record: RegistryRecord,
  sessions: SessionNames,
): Promise<ListedAgent> {
  const facts = tryFacts(record.runtime.manifest_path);
  const lives = await sessions.has(record.terminal.socket, record.terminal.session_name);
  const paths = facts && sessionPaths(facts.root);
  const life = paths ? await probeGateway(paths, readToken(paths, context.env)) : ({ life: 'none' } as const);
  const seen = life.life === 'live' || life.life === 'silent';
  return {
    agent_name: record.agent_name,
    agent_id: record.agent_id,
    tool: record.identity.tool,
    backend: record.identity.backend,
    tmux_session_name: record.terminal.session_name,
    tmux_socket: record.terminal.socket ?? null,
    session: facts === undefined ? 'stale' : lives ? 'running' : 'lost',
    gateway: seen ? life.life : 'not_attached',
    gateway_port: life.life === 'live' ? life.gateway.port : null,
    mail_address: record.mailbox?.address ?? null,
    working_directory: facts?.workingDirectory ?? null,
    manifest_path: record.runtime.manifest_path,
    lease_expires_at: record.lease_expires_at,
  };
}

function tryFacts(manifestPath: string): ManifestFacts | undefined {
  try {
    return readManifestFacts(manifestPath);
  } catch {
    return undefined;
  }
}

/**
 * Live sessions that no fresh record names. A session counts as ours when the tmux session its manifest names
 * lives and points back at that manifest.
 */
async function publishForgotten(context: SessionContext, sessions: SessionNames): Promise<string[]> {
  const { runtimeDir, registryDir } = context.settings;
  const view = readRegistry(registryDir, context.clock.now().getTime());
  const known = new Set(view.fresh.map((record) => record.agent_id));
  const published: string[] = [];
  for (const manifestPath of manifests(runtimeDir)) {
    const facts = tryFacts(manifestPath);
    if (!facts || known.has(facts.agentId)) continue;
    if (!(await sessions.has(facts.tmuxSocket, facts.tmuxSessionName))) continue;
    const tmux = new SessionTmux(facts.tmuxSocket ?? DEFAULT_SOCKET, context.env);
    const variables = await tmux.environment(facts.tmuxSessionName);
    if (variables?.get('HOUMAO_MANIFEST_PATH') !== manifestPath) continue;
    if (!(await publishAgain(context, manifestPath))) continue;
    known.add(facts.agentId);
    published.push(facts.agentId);
  }
  return published;
}

/** One session that cannot be published must not hide the others. */
async function publishAgain(context: SessionContext, manifestPath: string): Promise<boolean> {
  const { publishCapability } = await import('./publish-capability.ts');
  try {
    await publishCapability(context, manifestPath);
    return true;
  } catch (error) {
    if (isRouseError(error)) return false;
    throw error;
  }
}

function manifests(runtimeDir: string): string[] {
  const below = (directory: string): string[] => {
    try {
      return fs.readdirSync(directory).map((name) => path.join(directory, name));
    } catch {
      return [];
    }
  };
  return below(path.join(runtimeDir, 'sessions'))
    .flatMap(below)
    .map((root) => path.join(root, 'manifest.json'))
    .filter((file) => fs.existsSync(file));
}
