import * as path from 'node:path';
import { conflict } from '../base/index.ts';
import { isSameSocket } from '../tmux/index.ts';
import { VARIABLE } from '../wire/houmao/index.ts';
import { ownSessions } from './live-sessions.ts';
import { type ManifestFacts, type SessionPointers, tryManifestFacts } from './records/manifest-facts.ts';
import { byTmuxSession, type RegistryView, readRegistry } from './records/registry-read.ts';
import { serverOf, socketOfTmuxVariable } from './records/session-paths.ts';
import type { SessionContext } from './session-context.ts';
import { SessionTmux } from './session-tmux.ts';

/**
 * What a tmux session points at: its one agent. If agents were joined in several of its panes, it means none of them, and is
 * refused. Undefined if there is no such session.
 */
export async function pointersOfSession(
  server: SessionTmux,
  session: string,
  registry: () => RegistryView,
): Promise<SessionPointers | undefined> {
  const variables = await server.environment({ session });
  if (!variables) return undefined;
  const pointers = {
    session,
    server: server.socket,
    manifestPath: variables.get(VARIABLE.manifestPath),
    agentId: variables.get(VARIABLE.agentId),
  };
  const sharing = (await agentsInPanes(server, session)).filter(({ sharesSession }) => sharesSession);
  if (sharing.length === 0) return pointers;
  const agents = await allAgents(server, session, { pointers, sharing, records: registry().fresh });
  if (agents.length > 1) throw severalAgents(session, agents);
  return { ...pointers, manifestPath: agents[0]!.path, agentId: undefined };
}

/**
 * The manifest of the agent as which a command without a selector acts: that of its pane, else of its session, else of its
 * environment. New panes inherit the variables of their session's first agent, so the environment may name an agent that
 * others share the session with, which is refused, or one that has left.
 */
export async function manifestHere({
  env,
  settings,
  clock,
}: Pick<SessionContext, 'env' | 'settings' | 'clock'>): Promise<string | undefined> {
  const named = env[VARIABLE.manifestPath];
  // Tools may pass an unexpanded `${VARIABLE}` on.
  const inherited = named && path.isAbsolute(named) ? named : undefined;
  const socket = socketOfTmuxVariable(env['TMUX']);
  const pane = env['TMUX_PANE'];
  if (socket === undefined || !pane) return inherited;
  const server = new SessionTmux(socket, env);
  const own = await server.pointerOfPane(pane);
  if (own !== undefined && tryManifestFacts(own)) return own;
  if (inherited === undefined) return undefined;
  const registry = (): RegistryView => readRegistry(settings.registryDir, clock.now().getTime());
  const session = await server.sessionOfPane(pane);
  const found = session === undefined ? undefined : await pointersOfSession(server, session, registry);
  const shared = found?.manifestPath;
  return shared !== undefined && tryManifestFacts(shared) ? shared : inherited;
}

/** What the pane that a command runs in points at: its own agent, else that of its session. */
export async function pointersOfPane(
  server: SessionTmux,
  pane: string,
  registry: () => RegistryView,
): Promise<SessionPointers | undefined> {
  const session = await server.sessionOfPane(pane);
  if (session === undefined) return undefined;
  const manifestPath = await server.pointerOfPane(pane);
  return manifestPath === undefined
    ? pointersOfSession(server, session, registry)
    : { session, server: server.socket, manifestPath, agentId: undefined, ofPane: true };
}

async function agentsInPanes(server: SessionTmux, session: string): Promise<ManifestFacts[]> {
  const found = (await server.sessions()).find(({ name }) => name === session);
  return (found?.places ?? []).flatMap(({ manifestPath }) => tryManifestFacts(manifestPath) ?? []);
}

/** Also the first agent of the session when the session's pointer to it was lost. */
async function allAgents(
  server: SessionTmux,
  session: string,
  known: {
    pointers: SessionPointers;
    sharing: readonly ManifestFacts[];
    records: Parameters<typeof byTmuxSession>[0];
  },
): Promise<ManifestFacts[]> {
  const { manifestPath } = known.pointers;
  const recorded = byTmuxSession(known.records, session).map(({ runtime }) => runtime.manifest_path);
  const others = [...(manifestPath === undefined ? [] : [manifestPath]), ...recorded];
  const sessions = await server.sessions();
  const here = others
    .flatMap((file) => tryManifestFacts(file) ?? [])
    .filter((facts) => isSameSocket(serverOf(facts, server.env), server.socket))
    .filter((facts) => ownSessions(facts, sessions, server.env).includes(session));
  const all = [...here, ...known.sharing];
  return [...new Map(all.map((facts) => [facts.agentId, facts])).values()];
}

function severalAgents(session: string, agents: readonly ManifestFacts[]): Error {
  const names = agents.map(({ agentName }) => agentName).sort();
  return conflict(`tmux session "${session}" has ${names.length} agents: ${names.join(', ')}`, {
    hint: 'name one with --agent-name, or run the command in the pane of that agent',
    facts: { cause: 'several_agents', tmux_session: session, agents: names },
  });
}
