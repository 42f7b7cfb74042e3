import { conflict, messageOf, notFound, unavailable } from '../base/index.ts';
import type { RegistryRecord } from '../wire/index.ts';
import { type ManifestFacts, readManifestFacts } from './manifest-facts.ts';
import { byTmuxSession, type RegistryView } from './registry-read.ts';

/**
 * From a tmux session to its manifest. The session's own pointer comes first; when it is missing or stale the
 * registry is asked, exactly, and whatever is found must belong to this session. Nothing else is tried: not a
 * terminal id, not the active pane, not another name.
 */
export interface SessionPointers {
  session: string;
  /** Variables of the tmux session itself. */
  manifestPath: string | undefined;
  agentId: string | undefined;
}

export type Fallback = 'agent_id' | 'terminal_name';

export function manifestOfSession(
  pointers: SessionPointers,
  fallback: Fallback,
  registry: () => RegistryView,
): ManifestFacts {
  let first: string;
  try {
    return ownManifest(pointers);
  } catch (error) {
    first = messageOf(error);
  }
  const record = fallback === 'agent_id' ? byAgentId(pointers, registry) : byTerminal(pointers, registry);
  if (record === undefined) {
    throw notFound(
      `tmux session "${pointers.session}" leads to no manifest: ${first}; fallback unavailable`,
      {
        hint: 'this session was not launched or joined by Rouse, or its record has expired',
        facts: { cause: 'stale_pointer', tmux_session: pointers.session },
      },
    );
  }
  return manifestOfRecord(record, pointers.session);
}

function ownManifest({ manifestPath, session }: SessionPointers): ManifestFacts {
  if (manifestPath === undefined) throw notFound('HOUMAO_MANIFEST_PATH is not published there');
  return requireSession(readManifestFacts(manifestPath), session);
}

function byAgentId({ agentId }: SessionPointers, registry: () => RegistryView): RegistryRecord | undefined {
  return agentId === undefined ? undefined : registry().fresh.find((record) => record.agent_id === agentId);
}

function byTerminal({ session }: SessionPointers, registry: () => RegistryView): RegistryRecord | undefined {
  const matches = byTmuxSession(registry().fresh, session);
  if (matches.length > 1) {
    throw conflict(`${matches.length} registry records name tmux session "${session}"`, {
      hint: `say which with --agent-id: ${matches.map((record) => record.agent_id).join(', ')}`,
      facts: { cause: 'ambiguous', agent_ids: matches.map((record) => record.agent_id) },
    });
  }
  return matches[0];
}

/** The manifest a record points at, which must still be about the same agent and session. */
export function manifestOfRecord(
  record: RegistryRecord,
  session = record.terminal.session_name,
): ManifestFacts {
  let facts: ManifestFacts;
  try {
    facts = readManifestFacts(record.runtime.manifest_path);
  } catch (error) {
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
  return requireSession(facts, session);
}

function requireSession(facts: ManifestFacts, session: string): ManifestFacts {
  if (facts.tmuxSessionName === session) return facts;
  throw conflict(`${facts.path} belongs to tmux session "${facts.tmuxSessionName}", not "${session}"`, {
    facts: { cause: 'stale_pointer' },
  });
}
