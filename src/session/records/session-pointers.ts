import { conflict, isRouseError, messageOf, notFound, unavailable } from '../../base/index.ts';
import { isSameSocket } from '../../tmux/index.ts';
import type { RegistryRecord } from '../../wire/index.ts';
import { type ManifestFacts, readManifestFacts } from './manifest-facts.ts';
import { byTmuxSession, type RegistryView } from './registry-read.ts';
import { serverOf } from './tmux-socket.ts';

/**
 * From a tmux session to its manifest. The session's own pointer comes first; when it is missing or stale the
 * registry is asked, exactly, and whatever is found must belong to this session of this tmux server. Nothing else is
 * tried: not a terminal id, not the active pane, not another name.
 */
export interface SessionPointers {
  session: string;
  /** The tmux server it is on, by the path of its socket. */
  server: string;
  /** Variables of the tmux session itself. */
  manifestPath: string | undefined;
  agentId: string | undefined;
}

export type Fallback = 'agent_id' | 'terminal_name';

/** What is asked when a session and its manifest have to be held against each other. */
export interface PointerWorld {
  registry(): RegistryView;
  /** What the tmux session of a manifest is called now; undefined when it has none. */
  nameOf(facts: ManifestFacts): Promise<string | undefined>;
  env: NodeJS.ProcessEnv;
}

export async function manifestOfSession(
  pointers: SessionPointers,
  fallback: Fallback,
  world: PointerWorld,
): Promise<ManifestFacts> {
  let first: string;
  try {
    if (pointers.manifestPath === undefined) throw notFound('HOUMAO_MANIFEST_PATH is not published there');
    return await requireSession(readManifestFacts(pointers.manifestPath), pointers, world);
  } catch (error) {
    first = messageOf(error);
  }
  const record = fallback === 'agent_id' ? byAgentId(pointers, world) : byTerminal(pointers, world);
  if (record === undefined) {
    throw notFound(
      `tmux session "${pointers.session}" leads to no manifest: ${first}; fallback unavailable`,
      {
        hint: 'this session was not launched or joined by Rouse, or its record has expired',
        facts: { cause: 'stale_pointer', tmux_session: pointers.session, tmux_server: pointers.server },
      },
    );
  }
  return requireSession(manifestOf(record), pointers, world);
}

function byAgentId({ agentId }: SessionPointers, { registry }: PointerWorld): RegistryRecord | undefined {
  return agentId === undefined ? undefined : registry().fresh.find((record) => record.agent_id === agentId);
}

function byTerminal(pointers: SessionPointers, world: PointerWorld): RegistryRecord | undefined {
  const { session, server } = pointers;
  const named = byTmuxSession(world.registry().fresh, session);
  const matches = named.filter(({ terminal }) =>
    isSameSocket(serverOf({ tmuxSocket: terminal.socket }, world.env), server),
  );
  if (matches.length > 1) {
    throw conflict(`${matches.length} registry records name tmux session "${session}"`, {
      hint: `say which with --agent-id: ${matches.map((record) => record.agent_id).join(', ')}`,
      facts: { cause: 'ambiguous', agent_ids: matches.map((record) => record.agent_id) },
    });
  }
  const [elsewhere] = named;
  if (matches.length === 0 && elsewhere) {
    const { terminal, agent_name } = elsewhere;
    throw otherServer(session, server, {
      agentName: agent_name,
      server: serverOf({ tmuxSocket: terminal.socket }, world.env),
    });
  }
  return matches[0];
}

/** The manifest a record points at, which must still be about the same agent. */
function manifestOf(record: RegistryRecord): ManifestFacts {
  let facts: ManifestFacts;
  try {
    facts = readManifestFacts(record.runtime.manifest_path);
  } catch (error) {
    // Not stale: the agent of a newer version may well live.
    if (isRouseError(error) && error.code === 'unsupported') throw error;
    throw unavailable(`the registry record of agent ${record.agent_id} is stale: ${messageOf(error)}`, {
      hint: 'launch the agent again, or remove the record by hand',
      facts: { cause: 'stale_pointer', agent_id: record.agent_id },
    });
  }
  if (facts.agentId !== record.agent_id) {
    throw conflict(
      `the registry record of agent ${record.agent_id} points at the manifest of ${facts.agentId}`,
      {
        facts: { cause: 'stale_pointer' },
      },
    );
  }
  return facts;
}

/** The same, which must also be about the same session: of the recorded name, or of the recorded generation. */
export function manifestOfRecord(record: RegistryRecord): ManifestFacts {
  const facts = manifestOf(record);
  const session = record.terminal.session_name;
  if (facts.tmuxSessionName === session || facts.generationId === record.generation_id) return facts;
  throw notThatSession(facts, session);
}

async function requireSession(
  facts: ManifestFacts,
  { session, server }: SessionPointers,
  { env, nameOf }: PointerWorld,
): Promise<ManifestFacts> {
  const recorded = serverOf(facts, env);
  if (!isSameSocket(recorded, server)) {
    throw otherServer(session, server, { agentName: facts.agentName, server: recorded });
  }
  if (facts.tmuxSessionName === session || (await nameOf(facts)) === session) return facts;
  throw notThatSession(facts, session);
}

function notThatSession(facts: ManifestFacts, session: string): Error {
  return conflict(`${facts.path} belongs to tmux session "${facts.tmuxSessionName}", not "${session}"`, {
    facts: { cause: 'stale_pointer' },
  });
}

/** Two servers may have sessions of one name; what is meant for the one must never reach the other. */
function otherServer(session: string, server: string, other: { agentName: string; server: string }): Error {
  return conflict(
    `tmux session "${session}" on ${server} is not that of agent ${other.agentName}, which is on ${other.server}`,
    {
      hint: `name the agent with --agent-name ${other.agentName}, or the other tmux server with ROUSE_TMUX_SOCKET`,
      facts: { cause: 'other_tmux_server', tmux_server: server, agent_tmux_server: other.server },
    },
  );
}
