import * as fs from 'node:fs';
import * as path from 'node:path';
import { conflict, isRouseError, tryLockFile } from '../base/index.ts';
import { bareAgentName, type Project } from '../domain/index.ts';
import { isSameSocket } from '../tmux/index.ts';
import { manifestFiles } from '../wire/files/session-files.ts';
import { VARIABLE } from '../wire/houmao/index.ts';
import type { RegistryRecord, SessionManifest } from '../wire/index.ts';
import { type ManifestFacts, readManifestFacts, tryManifestFacts } from './records/manifest-facts.ts';
import { projectOf } from './records/project.ts';
import { byName, type RegistryView, readRegistry } from './records/registry-read.ts';
import { serverOf, sessionPaths } from './records/session-paths.ts';
import type { SessionContext } from './session-context.ts';
import { holderOf, type PointingSession, tmuxOf } from './session-tmux.ts';

/** What identifies a session: its manifest, and where that was recorded to be. */
export type Recorded = Pick<ManifestFacts, 'path' | 'tmuxSessionName' | 'tmuxSocket'> &
  Partial<Pick<ManifestFacts, 'sharesSession'>>;

export function recordedOf({ runtime, terminal }: RegistryRecord): Recorded {
  return {
    path: runtime.manifest_path,
    tmuxSessionName: terminal.session_name,
    tmuxSocket: terminal.socket ?? undefined,
    sharesSession: tryManifestFacts(runtime.manifest_path)?.sharesSession,
  };
}

/** Which tmux sessions live. Asks each tmux server once. */
export class LiveSessions {
  readonly #env: NodeJS.ProcessEnv;
  readonly #known = new Map<string, Promise<PointingSession[]>>();

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** The current name of the agent's tmux session; undefined if there is none, or several match. */
  async nameOf(recorded: Recorded): Promise<string | undefined> {
    const names = ownSessions(recorded, await this.of(recorded), this.#env);
    return names.length === 1 ? names[0] : undefined;
  }

  /** Every session on the server of this one. */
  of(recorded: Recorded): Promise<PointingSession[]> {
    const server = serverOf(recorded, this.#env);
    let sessions = this.#known.get(server);
    if (!sessions) {
      sessions = tmuxOf({ env: this.#env }, recorded).sessions();
      this.#known.set(server, sessions);
    }
    return sessions;
  }
}

/**
 * Finds the session of this manifest among those of its server. A session whose variables point at the manifest is the one,
 * whatever its name is now and wherever the agent's pane was moved; then one with a pane that does; then one with the recorded
 * name, unless it belongs to another agent. Several are ambiguous. An agent that shares its session lives only where its own
 * pane is.
 */
export function ownSessions(
  recorded: Recorded,
  sessions: readonly PointingSession[],
  env: NodeJS.ProcessEnv,
): string[] {
  const holding = sessions.filter(({ manifestPath }) => manifestPath === recorded.path);
  const pointing = holding.length > 0 ? holding : sessions.filter((each) => hasPaneOf(each, recorded.path));
  const named = sessions.find(({ name }) => name === recorded.tmuxSessionName);
  if (named && pointing.includes(named)) return [named.name];
  if (pointing.length > 0) return pointing.map(({ name }) => name);
  if (recorded.sharesSession) return [];
  return named && !isOwned(named, recorded, env) ? [named.name] : [];
}

function hasPaneOf({ places }: PointingSession, path: string): boolean {
  return places.some(({ manifestPath }) => manifestPath === path);
}

function isOwned(
  { name, manifestPath }: PointingSession,
  recorded: Recorded,
  env: NodeJS.ProcessEnv,
): boolean {
  const other = manifestPath === undefined ? undefined : tryManifestFacts(manifestPath);
  if (other?.tmuxSessionName !== name) return false;
  return isSameSocket(serverOf(other, env), serverOf(recorded, env));
}

export interface Followed {
  facts: ManifestFacts;
  /** Its tmux session lives. */
  lives: boolean;
  /** Its former name, if a rename was noticed just now. */
  renamedFrom?: string | undefined;
}

/**
 * Returns the agent's tmux session under its current name. A person may rename it at any time. The next caller then
 * updates manifest and registry, so that a live session is not taken for one that is gone.
 */
export async function followSession(context: SessionContext, facts: ManifestFacts): Promise<Followed> {
  const names = ownSessions(facts, await tmuxOf(context, facts).sessions(), context.env);
  if (names.length > 1) {
    throw conflict(`${names.length} tmux sessions claim to be the one of agent ${facts.agentName}`, {
      hint: `unset ${VARIABLE.manifestPath} in those that are not: ${names.join(', ')}`,
      facts: { cause: 'ambiguous', tmux_sessions: names },
    });
  }
  const [name] = names;
  if (name === undefined) return { facts, lives: false };
  if (name === facts.tmuxSessionName) return { facts, lives: true };
  const variables = await tmuxOf(context, facts).environment(holderOf({ ...facts, tmuxSessionName: name }));
  if (variables?.get(VARIABLE.manifestPath) !== facts.path) return { facts, lives: false };
  return { facts: await rename(context, facts, name), lives: true, renamedFrom: facts.tmuxSessionName };
}

async function rename(context: SessionContext, facts: ManifestFacts, name: string): Promise<ManifestFacts> {
  const [{ updateManifest }, { publishRenamed }] = await Promise.all([
    import('./records/manifest-store.ts'),
    import('./gateway/publish.ts'),
  ]);
  await updateManifest(facts.root, context.clock, (manifest) => renamed(manifest, name));
  const after = readManifestFacts(facts.path);
  await publishRenamed(context, after);
  return after;
}

/** The name used by the server that owns it (`gateway_authority`) stays: that is a reference, not a tmux name. */
function renamed(manifest: SessionManifest, name: string): SessionManifest {
  const { tmux, agent_launch_authority: authority, houmao_server: server } = manifest;
  return {
    ...manifest,
    tmux_session_name: name,
    ...(tmux && { tmux: { ...tmux, session_name: name } }),
    ...(authority && { agent_launch_authority: { ...authority, tmux_session_name: name } }),
    ...(server && { houmao_server: { ...server, session_name: name } }),
  };
}

/**
 * Publishes live sessions that no fresh record names. A session counts as ours if it points back at its manifest,
 * whatever its name is now.
 */
export async function publishForgotten(context: SessionContext, sessions: LiveSessions): Promise<string[]> {
  const { runtimeDir, registryDir } = context.settings;
  const view = readRegistry(registryDir, context.clock.now().getTime());
  const known = new Set(view.fresh.map((record) => record.agent_id));
  const published: string[] = [];
  for (const manifestPath of manifests(runtimeDir)) {
    const facts = tryManifestFacts(manifestPath);
    if (!facts || known.has(facts.agentId)) continue;
    const session = await sessions.nameOf(facts);
    const variables =
      session === undefined
        ? undefined
        : await tmuxOf(context, facts).environment(holderOf({ ...facts, tmuxSessionName: session }));
    if (variables?.get(VARIABLE.manifestPath) !== manifestPath) continue;
    if (!(await publishAgain(context, manifestPath))) continue;
    known.add(facts.agentId);
    published.push(facts.agentId);
  }
  return published;
}

/** Publishes one session. An error does not hide the others, and a session that is being stopped is left alone. */
async function publishAgain(context: SessionContext, manifestPath: string): Promise<boolean> {
  const lock = tryLockFile(sessionPaths(path.dirname(manifestPath)).lifecycleLock);
  if (!lock) return false;
  try {
    const { publishCapability } = await import('./gateway/publish.ts');
    await followSession(context, readManifestFacts(manifestPath));
    await publishCapability(context, manifestPath);
    return true;
  } catch (error) {
    if (isRouseError(error)) return false;
    throw error;
  } finally {
    lock.release();
  }
}

/** Every manifest under a runtime directory, of live and ended sessions. */
export function manifests(runtimeDir: string): string[] {
  const below = (directory: string): string[] => {
    try {
      return fs.readdirSync(directory).map((name) => path.join(directory, name));
    } catch {
      return [];
    }
  };
  return below(path.join(runtimeDir, 'sessions'))
    .flatMap(below)
    .map((root) => manifestFiles(root).manifest)
    .filter((file) => fs.existsSync(file));
}

/** running: its tmux session lives. lost: it ended without being stopped, as by a reboot. none: no agent has that name. */
export type Whereabouts = { state: 'running' | 'lost'; facts: ManifestFacts } | { state: 'none' };

/** An agent as the file of a team names it. */
export interface Member {
  name: string;
  project: Project;
  workdir: string;
}

/** By short name and project. Version 0.2.0 recorded no project: its agent works where the member does. */
export function isMember(facts: ManifestFacts, { name, project, workdir }: Member): boolean {
  if (facts.shortName !== name) return false;
  if (facts.project) return facts.project.directory === project.directory;
  return facts.workingDirectory === workdir || projectOf(facts).directory === project.directory;
}

/** Also finds an agent whose lease has run out, unless it was stopped. */
export async function whereabouts(context: SessionContext, member: Member): Promise<Whereabouts> {
  await publishForgotten(context, new LiveSessions(context.env));
  const { fresh, expired } = readRegistry(context.settings.registryDir, context.clock.now().getTime());
  for (const record of [...fresh, ...expired]) {
    const recorded = tryManifestFacts(record.runtime.manifest_path);
    if (!recorded || !isMember(recorded, member)) continue;
    const { facts, lives } = await followSession(context, recorded);
    return { state: lives ? 'running' : 'lost', facts };
  }
  return { state: 'none' };
}

/**
 * The newest session of an agent that no longer runs. Stopping keeps the session root for people who want to know what
 * happened. Undefined if there is none.
 */
export function findEnded(
  { settings }: SessionContext,
  { agentName, agentId }: { agentName?: string | undefined; agentId?: string | undefined },
): ManifestFacts | undefined {
  const name = agentName === undefined ? undefined : bareAgentName(agentName.trim());
  return manifests(settings.runtimeDir)
    .map((file) => tryManifestFacts(file))
    .filter((facts) => facts !== undefined)
    .filter((facts) => facts.agentName === name || facts.agentId === agentId)
    .sort((a, b) => createdAt(b).localeCompare(createdAt(a)))[0];
}

export function createdAt({ document }: ManifestFacts): string {
  return String(document['created_at_utc'] ?? '');
}

/**
 * Records whose lease ran out although no one stopped their agents, for example because the machine was off for days.
 * Stopping removes a record, so a remaining one with a manifest belongs to an agent that a person expects back. A name
 * that another agent has now is not lost.
 */
export function lostRecords({ fresh, expired }: RegistryView): RegistryRecord[] {
  return expired.filter(
    ({ agent_id, agent_name, runtime }) =>
      byName(fresh, agent_name).length === 0 && tryManifestFacts(runtime.manifest_path)?.agentId === agent_id,
  );
}
