import * as fs from 'node:fs';
import {
  type Clock,
  conflict,
  crashPoint,
  errnoOf,
  invalid,
  notFound,
  readIfExists,
  stableJson,
  withFileLock,
  writeFileAtomic,
} from '../../base/index.ts';
import {
  parseFile,
  type SessionManifest,
  type SessionManifestInput,
  sessionManifest,
} from '../../wire/index.ts';
import { sessionPaths } from './session-paths.ts';

const LOCK_TIMEOUT_MS = 10_000;

/**
 * manifest.json, the one authority of a session. Written whole and renamed into place, so that a reader sees one
 * version or the other; changed only under its lock, because the command line and the gateway both change it.
 */
export function readManifest(root: string): SessionManifest {
  const file = sessionPaths(root).manifest;
  const text = readIfExists(file);
  if (text === undefined)
    throw notFound(`there is no manifest at ${file}`, { facts: { cause: 'manifest_missing' } });
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw invalid(`${file} is not valid JSON`, { cause: error, facts: { cause: 'manifest_invalid' } });
  }
  return parseFile(sessionManifest, document, file);
}

/** The first version. A root that has a manifest already is somebody's session. */
export function createManifest(root: string, manifest: SessionManifestInput): SessionManifest {
  const file = sessionPaths(root).manifest;
  const checked = parseFile(sessionManifest, manifest, file);
  try {
    fs.closeSync(fs.openSync(sessionPaths(root).manifestLock, 'wx', 0o600));
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw conflict(`${root} already holds a session`);
    throw error;
  }
  writeFileAtomic(file, stableJson(checked));
  crashPoint('session.manifest.created');
  return checked;
}

/** Reads, changes and writes under the lock. Nothing is written when nothing changed. */
export async function updateManifest(
  root: string,
  clock: Clock,
  change: (manifest: SessionManifest) => SessionManifest,
): Promise<SessionManifest> {
  const paths = sessionPaths(root);
  return withFileLock(paths.manifestLock, { timeoutMs: LOCK_TIMEOUT_MS, clock }, () => {
    const before = readManifest(root);
    const after = parseFile(sessionManifest, change(structuredClone(before)), paths.manifest);
    if (stableJson(after) !== stableJson(before)) writeFileAtomic(paths.manifest, stableJson(after));
    return after;
  });
}
