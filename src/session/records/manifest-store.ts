import * as fs from 'node:fs';
import {
  type Clock,
  conflict,
  crashPoint,
  errnoOf,
  invalid,
  notFound,
  readIfExists,
  readObjectIfExists,
  withFileLock,
  writeJsonAtomic,
  writeJsonIfOther,
} from '../../base/index.ts';
import {
  besideOf,
  joinedManifest,
  parseFile,
  publishManifest,
  type SessionManifest,
  type SessionManifestInput,
  sessionManifest,
} from '../../wire/index.ts';
import { sessionPaths } from './session-paths.ts';

const LOCK_TIMEOUT_MS = 10_000;

/**
 * manifest.json, the one authority of a session. It is written whole and renamed into place, so that a reader sees one
 * version or the other. It is changed only under its lock, because command line and gateway both change it. Fields that
 * the source's format does not have are in a file beside it, which is written first.
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
  if (document !== null && typeof document === 'object')
    document = joinedManifest(document as Record<string, unknown>, readObjectIfExists(besideOf(file)));
  return parseFile(sessionManifest, document, file);
}

/** Writes the first version. A root that already has a manifest belongs to another session. */
export function createManifest(root: string, manifest: SessionManifestInput): SessionManifest {
  const file = sessionPaths(root).manifest;
  const checked = parseFile(sessionManifest, manifest, file);
  try {
    fs.closeSync(fs.openSync(sessionPaths(root).manifestLock, 'wx', 0o600));
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw conflict(`${root} already holds a session`);
    throw error;
  }
  const { published, beside } = publishManifest(checked, root);
  writeJsonAtomic(besideOf(file), beside);
  crashPoint('session.manifest.beside');
  writeJsonAtomic(file, published);
  crashPoint('session.manifest.created');
  return checked;
}

/** Reads, changes and writes under the lock. Writes nothing if nothing changed. */
export async function updateManifest(
  root: string,
  clock: Clock,
  change: (manifest: SessionManifest) => SessionManifest,
): Promise<SessionManifest> {
  const paths = sessionPaths(root);
  return withFileLock(paths.manifestLock, { timeoutMs: LOCK_TIMEOUT_MS, clock }, () => {
    const after = parseFile(sessionManifest, change(readManifest(root)), paths.manifest);
    const { published, beside } = publishManifest(after, root);
    // What a join recorded stays there when the session becomes ours, but no longer counts.
    if (!fs.existsSync(besideOf(paths.manifest))) writeJsonAtomic(besideOf(paths.manifest), beside);
    crashPoint('session.manifest.beside');
    writeJsonIfOther(paths.manifest, published);
    return after;
  });
}
