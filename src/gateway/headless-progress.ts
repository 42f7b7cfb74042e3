import { readJsonIfExists, withFileLock, writeJsonAtomic } from '../base/index.ts';
import type { HeadlessProgress } from '../terminal/index.ts';
import { manifestFiles, parseFile, sessionManifest } from '../wire/index.ts';

/** Writes how far a headless chat has come into the manifest, under the lock that every writer of it takes. */
export async function saveHeadlessProgress(sessionRoot: string, progress: HeadlessProgress): Promise<void> {
  const { manifest: file, manifestLock } = manifestFiles(sessionRoot);
  await withFileLock(manifestLock, { timeoutMs: 10_000 }, () => {
    const manifest = parseFile(sessionManifest, readJsonIfExists(file), file);
    writeJsonAtomic(file, {
      ...manifest,
      headless: {
        ...manifest.headless,
        session_id: progress.sessionId,
        turn_index: progress.turnIndex,
        role_bootstrap_applied: progress.roleBootstrapApplied,
      },
    });
  });
}
