import * as path from 'node:path';
import {
  conflict,
  invalid,
  isRouseError,
  messageOf,
  notFound,
  readIfExists,
  readObjectIfExists,
  unavailable,
  unsupported,
} from '../../base/index.ts';
import { type BackendKind, bareAgentName, isBackendKind, type Project } from '../../domain/index.ts';
import { isSameSocket } from '../../tmux/index.ts';
import { besideOf, joinedManifest } from '../../wire/files/beside.ts';
import { rootOfManifest } from '../../wire/files/session-files.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';
import type { RegistryRecord } from '../../wire/index.ts';
import { byTmuxSession, type RegistryView } from './registry-read.ts';
import { serverOf } from './session-paths.ts';

/**
 * The few facts of a manifest that are needed to find a session and report its status. Read by hand, because loading the
 * whole schema takes thirty milliseconds and a status must be quick. Code that changes a session reads the manifest
 * through manifest-store.ts, with the whole schema.
 */
export interface ManifestFacts {
  path: string;
  root: string;
  backend: BackendKind;
  tool: string;
  agentName: string;
  agentId: string;
  /** Its name in its project. `agentName` is unique on the machine. */
  shortName: string;
  /** Undefined for an agent of an older version; see projectOf. */
  project: Project | undefined;
  tmuxSessionName: string;
  tmuxSocket: string | undefined;
  /** The pane the agent was joined in; undefined: the first of window 0. */
  agentPane: string | undefined;
  /** It shares its session with another agent: its variables are options of its pane. */
  sharesSession: boolean;
  sessionId: string;
  workingDirectory: string;
  generationId: string | undefined;
  /** A person started this session and it was joined, so it is not ours to end. */
  joined: boolean;
  /** `gateway_authority.attach`: the server to ask if the session belongs to a fleet server. */
  serverBaseUrl: string | undefined;
  serverAgentRef: string | undefined;
  /** The window of a terminal that a server owns. */
  ownedWindow: string | undefined;
  /** The document itself, for the few callers that need more. */
  document: Record<string, unknown>;
}

/** The same for callers that read many: undefined if the manifest cannot be read. */
export function tryManifestFacts(manifestPath: string): ManifestFacts | undefined {
  try {
    return readManifestFacts(manifestPath);
  } catch (error) {
    if (isRouseError(error)) return undefined;
    throw error;
  }
}

type Json = Record<string, unknown>;

const MANIFEST_VERSION = 4;

/** `not_found` if the pointer leads nowhere, `invalid` if the file is not a manifest, `unsupported` if a newer version wrote it. */
export function readManifestFacts(manifestPath: string): ManifestFacts {
  const root = path.isAbsolute(manifestPath) ? rootOfManifest(manifestPath) : undefined;
  if (root === undefined)
    throw invalid(`${JSON.stringify(manifestPath)} is not the absolute path of a manifest.json`);
  const text = readIfExists(manifestPath);
  if (text === undefined) throw notFound(`there is no manifest at ${manifestPath}`);
  const document = joinedManifest(parse(text, manifestPath), readObjectIfExists(besideOf(manifestPath)));
  const need = (value: unknown, field: string): string => {
    if (typeof value === 'string' && value !== '') return value;
    throw invalid(`${manifestPath} has no ${field}`, { facts: { file: manifestPath, field } });
  };
  const backend = need(document['backend'], 'backend');
  const version = document['schema_version'];
  if (typeof version === 'number' && version > MANIFEST_VERSION) {
    throw unsupported(
      `${manifestPath} was written by a newer version of Rouse (manifest version ${version})`,
      {
        hint: `update Rouse; this one knows manifests up to version ${MANIFEST_VERSION}`,
        facts: { file: manifestPath },
      },
    );
  }
  if (version !== MANIFEST_VERSION || !isBackendKind(backend)) {
    throw invalid(`${manifestPath} is not a manifest this program knows`, {
      hint: `it has schema_version ${JSON.stringify(version)} and backend ${JSON.stringify(backend)}`,
    });
  }
  const tmux = section(document, 'tmux');
  const authority = section(section(document, 'gateway_authority'), 'attach');
  const facts: ManifestFacts = {
    path: manifestPath,
    root,
    backend,
    tool: need(document['tool'], 'tool'),
    agentName: need(document['agent_name'], 'agent_name'),
    shortName:
      textOrNone(document['short_name']) ?? bareAgentName(need(document['agent_name'], 'agent_name')),
    project: recordedProject(section(document, 'project')),
    agentId: need(document['agent_id'], 'agent_id'),
    tmuxSessionName: need(document['tmux_session_name'], 'tmux_session_name'),
    tmuxSocket: textOrNone(tmux['socket']),
    agentPane: textOrNone(tmux['agent_pane']),
    sharesSession: tmux['variables_of'] === 'pane',
    sessionId: textOrNone(section(document, 'runtime')['session_id']) ?? path.basename(root),
    workingDirectory: need(document['working_directory'], 'working_directory'),
    generationId: textOrNone(document['registry_generation_id']),
    joined: section(document, 'agent_launch_authority')['session_origin'] === 'joined_tmux',
    serverBaseUrl: textOrNone(authority['api_base_url']),
    serverAgentRef: textOrNone(authority['managed_agent_ref']),
    ownedWindow: textOrNone(section(document, 'cao')['tmux_window_name']),
    document,
  };
  if (tmux['session_name'] !== facts.tmuxSessionName) {
    throw conflict(`${manifestPath} names two tmux sessions`, { facts: { file: manifestPath } });
  }
  return facts;
}

function parse(text: string, file: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(`${file} is not valid JSON`, { cause: error });
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw invalid(`${file} is not a JSON object`);
  return value as Json;
}

/** A part of a manifest; empty if it is missing. */
export function section(document: Json, name: string): Json {
  const value = document[name];
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {};
}

/** The mailbox binding; undefined for an agent without a manifest. */
export function mailboxOf(facts: ManifestFacts | undefined): Json | undefined {
  return facts && section(section(facts.document, 'launch_plan'), 'mailbox');
}

/** What a launch recorded for later commands. */
export function launchFacts(document: Json): Json {
  return section(section(section(document, 'launch_plan'), 'metadata'), 'rouse');
}

function recordedProject({ name, directory }: Json): Project | undefined {
  return typeof name === 'string' && typeof directory === 'string' ? { name, directory } : undefined;
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * From a tmux session to its manifest. The session's own pointer comes first. If it is missing or stale, the registry is
 * searched for an exact match. Either must belong to this session of this tmux server. Nothing else is tried: no terminal
 * id, no active pane, no other name.
 */
export interface SessionPointers {
  session: string;
  /** The tmux server it is on, by the path of its socket. */
  server: string;
  /** A pane points at the manifest, which is then its agent's in whatever session it is now. */
  ofPane?: true;
  /** Variables of the tmux session itself, or options of the pane. */
  manifestPath: string | undefined;
  agentId: string | undefined;
}

type Fallback = 'agent_id' | 'terminal_name';

/** What is needed to compare a session with a manifest. */
export interface PointerWorld {
  registry(): RegistryView;
  /** The current name of a manifest's tmux session; undefined if it has none. */
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
    if (pointers.manifestPath === undefined)
      throw notFound(`${VARIABLE.manifestPath} is not published there`);
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
      hint: `choose one with --agent-id: ${matches.map((record) => record.agent_id).join(', ')}`,
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

/** The manifest that a record points at. It must be that of the same agent. */
function manifestOf(record: RegistryRecord): ManifestFacts {
  let facts: ManifestFacts;
  try {
    facts = readManifestFacts(record.runtime.manifest_path);
  } catch (error) {
    // Not stale: an agent of a newer version may still live.
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

/** The same, and it must also be the same session: by the recorded name or the recorded generation. */
export function manifestOfRecord(record: RegistryRecord): ManifestFacts {
  const facts = manifestOf(record);
  const session = record.terminal.session_name;
  if (facts.tmuxSessionName === session || facts.generationId === record.generation_id) return facts;
  throw notThatSession(facts, session);
}

async function requireSession(
  facts: ManifestFacts,
  { session, server, ofPane }: SessionPointers,
  { env, nameOf }: PointerWorld,
): Promise<ManifestFacts> {
  const recorded = serverOf(facts, env);
  if (!isSameSocket(recorded, server)) {
    throw otherServer(session, server, { agentName: facts.agentName, server: recorded });
  }
  if (ofPane || facts.tmuxSessionName === session || (await nameOf(facts)) === session) return facts;
  throw notThatSession(facts, session);
}

function notThatSession(facts: ManifestFacts, session: string): Error {
  return conflict(`${facts.path} belongs to tmux session "${facts.tmuxSessionName}", not "${session}"`, {
    facts: { cause: 'stale_pointer' },
  });
}

/** Two servers may have sessions of the same name. What is meant for one must never reach the other. */
function otherServer(session: string, server: string, other: { agentName: string; server: string }): Error {
  return conflict(
    `tmux session "${session}" on ${server} is not that of agent ${other.agentName}, which is on ${other.server}`,
    {
      hint: `name the agent with --agent-name ${other.agentName}, or the other tmux server with ROUSE_TMUX_SOCKET`,
      facts: { cause: 'other_tmux_server', tmux_server: server, agent_tmux_server: other.server },
    },
  );
}
