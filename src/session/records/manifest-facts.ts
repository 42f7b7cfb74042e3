import * as path from 'node:path';
import {
  conflict,
  invalid,
  isRouseError,
  notFound,
  readIfExists,
  readObjectIfAny,
  unsupported,
} from '../../base/index.ts';
import { type BackendKind, isBackendKind } from '../../domain/index.ts';
import { besideOf, joinedManifest } from '../../wire/files/beside.ts';
import { rootOfManifest } from '../../wire/files/session-files.ts';

/**
 * The few facts of a manifest by which a session is found and asked after. Read by hand: the whole schema costs
 * thirty milliseconds to load, and asking for a status must be quick. Whatever changes a session reads the
 * manifest through manifest-store.ts, against the whole schema.
 */
export interface ManifestFacts {
  path: string;
  root: string;
  backend: BackendKind;
  tool: string;
  agentName: string;
  agentId: string;
  tmuxSessionName: string;
  tmuxSocket: string | undefined;
  /** The pane the agent was joined in; undefined: the first of window 0. */
  agentPane: string | undefined;
  sessionId: string;
  workingDirectory: string;
  generationId: string | undefined;
  /** Somebody started this session by hand, and it was adopted: it is not ours to end. */
  joined: boolean;
  /** `gateway_authority.attach`: whom to ask when the session belongs to a fleet server. */
  serverBaseUrl: string | undefined;
  serverAgentRef: string | undefined;
  /** The window of a terminal that a CAO server owns. */
  caoWindow: string | undefined;
  /** The document itself, for what few callers need. */
  document: Record<string, unknown>;
}

/** The same for whoever looks at many: a manifest that cannot be read is passed over. */
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

/** `not_found` when the pointer leads nowhere, `invalid` when the file is not a manifest of a session in tmux, `unsupported` when a newer version wrote it. */
export function readManifestFacts(manifestPath: string): ManifestFacts {
  const root = path.isAbsolute(manifestPath) ? rootOfManifest(manifestPath) : undefined;
  if (root === undefined)
    throw invalid(`${JSON.stringify(manifestPath)} is not the absolute path of a manifest.json`);
  const text = readIfExists(manifestPath);
  if (text === undefined) throw notFound(`there is no manifest at ${manifestPath}`);
  const document = joinedManifest(parse(text, manifestPath), readObjectIfAny(besideOf(manifestPath)));
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
    agentId: need(document['agent_id'], 'agent_id'),
    tmuxSessionName: need(document['tmux_session_name'], 'tmux_session_name'),
    tmuxSocket: textOrNone(tmux['socket']),
    agentPane: textOrNone(tmux['agent_pane']),
    sessionId: textOrNone(section(document, 'runtime')['session_id']) ?? path.basename(root),
    workingDirectory: need(document['working_directory'], 'working_directory'),
    generationId: textOrNone(document['registry_generation_id']),
    joined: section(document, 'agent_launch_authority')['session_origin'] === 'joined_tmux',
    serverBaseUrl: textOrNone(authority['api_base_url']),
    serverAgentRef: textOrNone(authority['managed_agent_ref']),
    caoWindow: textOrNone(section(document, 'cao')['tmux_window_name']),
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

/** A part of a manifest; empty where there is none. */
export function section(document: Json, name: string): Json {
  const value = document[name];
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {};
}

/** What a launch noted for itself and others. */
export function launchFacts(document: Json): Json {
  return section(section(section(document, 'launch_plan'), 'metadata'), 'rouse');
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
