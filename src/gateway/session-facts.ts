import * as fs from 'node:fs';
import * as path from 'node:path';
import { RouseError, readJsonIfExists, readObjectIfExists } from '../base/index.ts';
import type { BackendKind } from '../domain/index.ts';
import {
  attachIdentity,
  besideOf,
  joinedManifest,
  manifestFiles,
  parseFile,
  type SessionManifest,
  sessionManifest,
} from '../wire/index.ts';

/** What a gateway must know about its session, all from manifest.json. */
export interface SessionFacts {
  attachIdentity: string;
  backend: BackendKind;
  tool: string;
  tmuxSessionName: string;
  manifest: SessionManifest;
  sessionRoot: string;
}

/** A session without a readable manifest cannot have a gateway. */
export function readSession(sessionRoot: string): SessionFacts {
  const file = manifestFiles(sessionRoot).manifest;
  const content = readJsonIfExists(file);
  if (content === undefined) {
    throw new RouseError('not_found', `there is no session manifest at ${file}`, {
      facts: { cause: 'manifest_missing' },
    });
  }
  const manifest = parseFile(sessionManifest, joinedWith(file, content), file);
  return {
    manifest,
    sessionRoot,
    backend: manifest.backend,
    tool: manifest.tool,
    tmuxSessionName: manifest.tmux_session_name ?? '',
    attachIdentity: attachIdentity({
      runtimeSessionId: manifest.runtime?.session_id,
      agentId: manifest.agent_id,
      agentName: manifest.agent_name,
      tmuxSessionName: manifest.tmux_session_name,
      sessionRootName: path.basename(sessionRoot),
    }),
  };
}

/** Anything but an object is left for the schema to refuse. */
function joinedWith(file: string, content: unknown): unknown {
  if (content === null || typeof content !== 'object') return content;
  return joinedManifest(content as Record<string, unknown>, readObjectIfExists(besideOf(file)));
}

/**
 * The session as in its current manifest. Called for every mail, so the file is read and checked only when it changed.
 */
export function sessionReader(sessionRoot: string): () => SessionFacts {
  const file = manifestFiles(sessionRoot).manifest;
  let known: { identity: string; facts: SessionFacts } | undefined;
  return () => {
    // Taken before the file is read: a write in between changes it, and the file is read again next time.
    const identity = identityOf(file);
    if (known === undefined || known.identity !== identity)
      known = { identity, facts: readSession(sessionRoot) };
    return known.facts;
  };
}

function identityOf(file: string): string {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}` : '-';
}
